// `mediagate-gateway dev`: gateway, emulator and playground on this machine.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { startLocalEmulator } from "../dev/emulator.js";
import { hostOf, LOCAL_NAMES } from "../dev/host.js";
import { introduce } from "../dev/introduce.js";
import { followModule } from "../dev/watch.js";
import { bucketOf } from "../emulator/bucket.js";
import { Failure, UsageFailure } from "../failure.js";
import { DATA, FOLDER } from "../local.js";
import { defaultDrain, drainOf, portOf } from "../options.js";
import { originsOf } from "../origins.js";
import { findOwnModule } from "../own-module.js";
import { checkInputHosts } from "../private-upstream.js";
import { isNewSecret, localSecrets } from "../secrets.js";
import { SCOPE } from "../session.js";
import { LOCAL_FILE, readSettings, readSettingsFile } from "../settings.js";
import { nextSignal, untilSignal } from "../signals.js";
import { freePort, inUrl } from "../workerd/address.js";
import { checkFolder } from "../workerd/lock.js";
import { readModule } from "../workerd/module.js";
import { startServer } from "../workerd/server.js";
import { readConfig, varsIn } from "../wrangler-config.js";

export const summary =
  "Run gateway, emulator and playground on this machine, until Ctrl-C";

export const help = `
Without --upstream, the media service is an emulator: nothing is charged, and no account is needed.
In a folder with upstream/upstream.ts or upstream/upstream.js, such as one of \`init --provider\`,
that upstream module takes the emulator's place, unless --emulator is given.
Pages of any port of this machine may call the gateway. Settings in .dev.vars and in the environment
take precedence, but for the media service's address and key while it is the emulator. The gateway
stores its data in the folder .mediagate. The emulator has a bucket that keeps results, unless
RESULTS_BUCKET_URL names another one, or with --host.

Options:
  --port PORT             the port that the gateway listens on [default: 8787]
  --host ADDRESS          listen in the network too, to try a page on a phone: 0.0.0.0, or one of
                          this machine's addresses. Everyone in that network can use it then; not
                          with --upstream
  --origin ORIGIN         another origin whose pages may call the gateway; repeat it for several
  --upstream URL          the real media service instead of the emulator; UPSTREAM_API_KEY in the
                          environment or in .dev.vars is its key. Tasks cost credits then, so a
                          token is needed
  --emulator              the emulator, in spite of a module in the folder
  --upstream-module FILE  an upstream module instead of the emulator: a Worker in TypeScript or
                          JavaScript, in front of any provider. Tasks cost credits then: pages of
                          this machine without a token make 20 a day together (ANONYMOUS_BUDGET).
                          Uploads go to the emulator's bucket, unless RESULTS_BUCKET_URL names
                          another. A change of its files or its variables restarts the gateway
  --upstream-vars FILE    the variables of the module, such as the provider's key, as lines
                          NAME=value [default: .dev.vars beside the module]
  --fill-with-emulator    what the module does not offer is made by the emulator, and the playground
                          marks it
  --ffmpeg PROGRAM        the program that the emulator cuts and resizes videos with [default: the
                          first ffmpeg on the PATH, or the one of npm's @ffmpeg-installer/ffmpeg]
  --settings FILE         settings as lines NAME=value, or under [vars] of a .toml file such as one
                          of \`check\`; they take precedence over .dev.vars. If it has UPSTREAM_BASE_URL,
                          that is the address of --upstream
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  port: { type: "string", default: "8787" },
  host: { type: "string" },
  origin: { type: "string", multiple: true, default: [] },
  upstream: { type: "string" },
  emulator: { type: "boolean", default: false },
  "upstream-module": { type: "string" },
  "upstream-vars": { type: "string" },
  "fill-with-emulator": { type: "boolean", default: false },
  ffmpeg: { type: "string" },
  settings: { type: "string" },
};

export async function run(values) {
  const signalled = nextSignal();
  const host = hostOf(values.host);
  const origins = await originsOf(values.origin);
  const own = await readSettings({
    file: values.settings,
    fallbackFile: LOCAL_FILE,
  });
  const upstream = values.upstream ?? (await upstreamIn(values.settings));
  const file = await moduleFor(values, upstream);
  const isFilled = values["fill-with-emulator"];
  const module = await readModule(file, values["upstream-vars"]);
  if (isFilled && !module)
    throw new UsageFailure(
      "--fill-with-emulator is for a module: name it with --upstream-module, or write one with " +
        "`mediagate-gateway init --provider`",
    );
  if (module && upstream !== undefined)
    throw new UsageFailure(
      "--upstream-module and an address of the media service exclude each other; leave one out",
    );
  const isReal = module !== undefined || upstream !== undefined;
  if (isReal && host.addresses.length > 0)
    throw new UsageFailure(
      "--host is for the emulator alone: with --upstream or a module, others in the network could spend your " +
        "credits. Leave one of them out, or use `mediagate-gateway serve` behind a proxy with TLS",
    );
  if (isReal && !isFilled && values.ffmpeg !== undefined)
    throw new UsageFailure(
      "--ffmpeg is for the emulator: leave out --upstream or the module, or --ffmpeg; " +
        "or give --fill-with-emulator with a module",
    );
  const port = await portIn(values.port, host, own);
  const secrets = await localSecrets(FOLDER);
  const pages = host.addresses.map(
    (address) => `http://${inUrl(address)}:${port}`,
  );
  const listed = {
    ALLOWED_ORIGINS: joinOrigins(own, [...origins, ...pages]),
    ...addressFor(own, port),
  };
  if (upstream !== undefined) {
    await warnOf(own);
    return runWith(
      { host, port, module: undefined, isFilled },
      { ...upstreamSettings(upstream, own, secrets), ...listed },
      [],
      signalled,
    );
  }
  // Checked now, before a second emulator uses the data of the first.
  await checkFolder(resolve(DATA));
  const emulator = await startLocalEmulator(
    secrets.UPSTREAM_API_KEY,
    host.addresses,
    { isBucket: module !== undefined && !isFilled, ffmpeg: values.ffmpeg },
  );
  const fill = isFilled
    ? { EMULATOR_URL: emulator.url, EMULATOR_KEY: secrets.UPSTREAM_API_KEY }
    : undefined;
  const read = () => readModule(file, values["upstream-vars"], fill);
  const settings = module
    ? {
        // The emulator's avatars and voices.
        ...(fill && { PUBLIC_ASSETS: "*" }),
        ...(await moduleSettings(own, secrets)),
        ...moduleBucket(own, emulator),
        ...listed,
      }
    : {
        ...emulatorSettings(emulator, secrets),
        ...own,
        ...fixedSettings(emulator, secrets),
        ...bucketFor(own, emulator, host),
        ...listed,
      };
  return runWith(
    { host, port, module, isFilled, read },
    settings,
    [{ name: "the emulator", ...emulator }],
    signalled,
  );
}

/**
 * Returns the path of the module: that of the option, or else that of the project.
 *
 * @throws {UsageFailure} if the emulator is to run as well
 */
async function moduleFor(values, upstream) {
  const named = values["upstream-module"];
  if (values.emulator) {
    if (named === undefined && upstream === undefined) return undefined;
    throw new UsageFailure(
      "--emulator excludes --upstream-module and an address of the media service; " +
        "leave it or them out",
    );
  }
  if (named !== undefined || upstream !== undefined) return named;
  const own = await findOwnModule();
  if (own)
    console.error(
      `note: ${own} is the upstream module of this folder; --emulator takes the emulator instead`,
    );
  return own;
}

/**
 * Returns the media service's address in the file that a person has named. `.dev.vars` may have the
 * address of the deployment, which `dev` does not use by itself.
 */
async function upstreamIn(file) {
  if (file === undefined) return undefined;
  return (await readSettingsFile(file)).UPSTREAM_BASE_URL;
}

/**
 * Returns the port to listen on. If the settings contain it, a free port is chosen before the
 * gateway starts: in the network the allowed origins do, and with webhooks the address does.
 */
async function portIn(text, { listen, addresses }, own) {
  const port = portOf(text);
  const isInSettings = addresses.length > 0 || own.WEBHOOK_URLS;
  return port === 0 && isInSettings ? freePort(listen) : port;
}

const addressFor = (own, port) =>
  own.WEBHOOK_URLS && !own.PUBLIC_URL
    ? { PUBLIC_URL: `http://localhost:${port}` }
    : {};

/** Warns of settings that decide who may spend credits: a folder from elsewhere may bring them. */
async function warnOf(own) {
  const isOfInit =
    isNewSecret(own.SESSION_SECRET ?? "") &&
    (await isForOwnerAlone(LOCAL_FILE));
  const names = [
    "ALLOWED_ORIGINS",
    "SESSION_SECRET",
    "SESSION_JWKS_URL",
  ].filter(
    (name) =>
      own[name] &&
      !process.env[name] &&
      !(name === "SESSION_SECRET" && isOfInit),
  );
  if (names.length > 0)
    console.error(
      `note: ${LOCAL_FILE} sets ${names.join(", ")}, ` +
        "which decide who may spend credits; check them",
    );
}

/**
 * Returns true if only the owner may use a file, which is how `init` writes its secrets. A file
 * from git has this mode only if the umask gives it to every new file, so such a umask proves
 * nothing.
 */
async function isForOwnerAlone(file) {
  const { mode } = await stat(file).catch(() => ({ mode: 0o777 }));
  return (mode & 0o077) === 0 && (process.umask() & 0o077) !== 0o077;
}

/**
 * Runs the gateway beside the given parts, and stops them if it can't start.
 *
 * @param {{
 *   host: Awaited<ReturnType<typeof hostOf>>,
 *   port: number,
 *   module: import("../workerd/module.js").Module | undefined,
 *   isFilled: boolean,
 *   read?: () => ReturnType<typeof readModule>,
 * }} options `read` reads the module again
 * @param {Record<string, any>} settings
 * @param {any[]} parts
 * @param {Promise<undefined>} signalled
 */
async function runWith(
  { host, port, module: given, isFilled, read },
  settings,
  parts,
  signalled,
) {
  const drainMs = drainOf(defaultDrain(settings, given !== undefined));
  try {
    checkInputHosts(settings);
    // With the emulator, whose address was not known before.
    const module = isFilled ? await read?.() : given;
    const gateway = await startServer({
      host: host.listen,
      port,
      settings,
      place: `each in the environment, or as a line NAME=value of ${LOCAL_FILE}`,
      folder: resolve(DATA),
      hosts: host.names,
      proxies: [],
      privateUpstream: true,
      module,
      drainMs,
      playground: true,
      hidesHealth: true,
    });
    const emulator = module ? undefined : parts[0];
    await introduce(
      gateway.url,
      settings,
      { emulator, module: module?.file, isFilled },
      host.addresses,
    );
    if (module && read)
      followModule(module, read, (next) =>
        gateway.restart(settings, drainMs, next),
      );
    return await untilSignal(
      [{ name: "the gateway", ...gateway }, ...parts],
      signalled,
    );
  } catch (error) {
    await Promise.all(parts.map((part) => part.stop()));
    throw error;
  }
}

/**
 * Returns the allowed origins: those that are set, or else every port of this machine, and those of
 * the command line.
 *
 * @param {Record<string, string>} own
 * @param {string[]} further
 */
function joinOrigins({ ALLOWED_ORIGINS: own }, further) {
  const local = LOCAL_NAMES.flatMap((host) => [
    `http://${host}:*`,
    `https://${host}:*`,
  ]);
  return [...(own ? [own] : local), ...further].join(",");
}

const fixedSettings = ({ upstream, results, uploads }, secrets) => ({
  UPSTREAM_BASE_URL: upstream,
  UPSTREAM_API_KEY: secrets.UPSTREAM_API_KEY,
  UPLOAD_HOSTS: "127.0.0.1",
  OUTPUT_HOSTS: "127.0.0.1",
  MEDIA_HOSTS: results.join(","),
  // A phone reaches the storage on this machine only through the gateway.
  ...(uploads === "relay" && { UPLOAD_MODE: uploads }),
});

/**
 * Returns the settings of the emulator's bucket, unless the person has a bucket. Others in the
 * network can't reach the emulator's bucket.
 */
const bucketFor = (own, emulator, { addresses }) =>
  own.RESULTS_BUCKET_URL || addresses.length > 0 ? {} : bucketOf(emulator);

const emulatorSettings = ({ upstream }, secrets) => ({
  ...secrets,
  // Only the emulator's files. A page must not make the gateway read other ports of this machine.
  INPUT_HOSTS: new URL(upstream).host,
  // Without it, ids would be sealed for the emulator's address, whose port may differ next time.
  // With it, they stay valid.
  TENANT: "dev",
  ANONYMOUS_SESSIONS: "on",
  // The emulator's avatars and voices.
  PUBLIC_ASSETS: "*",
});

/**
 * Returns the hosts of a module's outputs: the hosts that `init` wrote for the deployment, and this
 * machine for stand-ins of providers.
 */
async function outputHosts() {
  const config = await readConfig(undefined).catch(() => undefined);
  const { OUTPUT_HOSTS: hosts } = config ? await varsIn(config) : {};
  return [hosts, "127.0.0.1"].filter(Boolean).join(",");
}

async function moduleSettings(own, secrets) {
  const { UPSTREAM_API_KEY: _, ...ownSecrets } = secrets;
  const rest = { ...own };
  delete rest.UPSTREAM_BASE_URL;
  delete rest.UPSTREAM_API_KEY;
  return {
    ...ownSecrets,
    TENANT: "dev",
    UPLOAD_MODE: "bucket",
    // The playground, and the person's own pages on this machine, need no token.
    ANONYMOUS_SESSIONS: "on",
    ANONYMOUS_SCOPE: SCOPE,
    ANONYMOUS_BUDGET: "20",
    RATE_LIMIT_PER_MINUTE: "600",
    OUTPUT_HOSTS: await outputHosts(),
    ...rest,
  };
}

/** Returns the settings of the emulator's bucket, which no provider can reach. */
const moduleBucket = (own, emulator) =>
  own.RESULTS_BUCKET_URL ? {} : { ...bucketOf(emulator), BUCKET_PRIVATE: "on" };

function upstreamSettings(url, own, secrets) {
  const { UPSTREAM_API_KEY: _, ...ownSecrets } = secrets;
  if (!own.UPSTREAM_API_KEY)
    throw new Failure(
      "--upstream needs the media service's key: " +
        `set UPSTREAM_API_KEY in the environment or in ${LOCAL_FILE}`,
    );
  const settings = { ...ownSecrets, ...own, UPSTREAM_BASE_URL: url };
  return { ...settings, ANONYMOUS_SESSIONS: "off" };
}
