// `mediagate-gateway dev`: gateway, emulator and playground on this machine.
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { mintSession } from "mediagate/server";
import { startEmulator } from "../emulator/run.js";
import { Failure, UsageFailure } from "../failure.js";
import { DATA, EMULATOR_DATA, EMULATOR_PORT, FOLDER } from "../local.js";
import { portOf } from "../options.js";
import { isNewSecret, localSecrets } from "../secrets.js";
import { LOCAL_FILE, readSettings } from "../settings.js";
import { nextSignal, untilSignal } from "../signals.js";
import { isFree } from "../workerd/address.js";
import { startServer } from "../workerd/server.js";

export const summary = "Run gateway, emulator and playground on this machine, until Ctrl-C";

export const help = `
Without --upstream, the media service is an emulator: nothing is charged, and no account is needed. Pages of any port of
this machine may call the gateway. Settings in .dev.vars and in the environment take precedence, but for the media
service's address and key while it is the emulator. What the gateway stores is in the folder .mediagate.

Options:
  --port PORT             where the gateway listens [default: 8787]
  --origin ORIGIN         another origin whose pages may call the gateway; repeat it for several
  --upstream URL          the real media service, in place of the emulator; UPSTREAM_API_KEY in the environment or in
                          .dev.vars is its key. Tasks cost credits then, so a token is needed
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  port: { type: "string", default: "8787" },
  origin: { type: "string", multiple: true, default: [] },
  upstream: { type: "string" },
};

/** The names under which this machine reaches itself. */
const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];

export async function run(values) {
  const signalled = nextSignal();
  const port = portOf(values.port);
  const own = await readSettings({ fallbackFile: LOCAL_FILE });
  const secrets = await localSecrets(FOLDER);
  const listed = { ALLOWED_ORIGINS: originsOf(own, values.origin) };
  if (values.upstream !== undefined) {
    await warnOf(own);
    return runWith(port, { ...upstreamSettings(values.upstream, own, secrets), ...listed }, [], signalled);
  }
  const emulator = await startLocalEmulator(secrets.UPSTREAM_API_KEY);
  const { url } = emulator;
  const settings = { ...emulatorSettings(url, secrets), ...own, ...emulated(url, secrets), ...listed };
  return runWith(port, settings, [{ name: "the emulator", ...emulator }], signalled);
}

/** The emulator with the tasks of the last time, and at its address, if that is free. */
async function startLocalEmulator(apiKey) {
  const port = await readFile(EMULATOR_PORT, "utf8").catch(() => "");
  const listen = /^\d+$/.test(port) && (await isFree(Number(port))) ? port : "0";
  const emulator = await startEmulator({ apiKey, args: ["--listen", `127.0.0.1:${listen}`, "--data", EMULATOR_DATA] });
  await rm(EMULATOR_PORT, { force: true });
  await writeFile(EMULATOR_PORT, new URL(emulator.url).port, { flag: "wx" });
  return emulator;
}

/** A folder from elsewhere may bring settings that let others spend. */
async function warnOf(own) {
  const isOfInit = isNewSecret(own.SESSION_SECRET ?? "") && (await isForOwnerAlone(LOCAL_FILE));
  const names = ["ALLOWED_ORIGINS", "SESSION_SECRET", "SESSION_JWKS_URL"].filter(
    (it) => own[it] && !process.env[it] && !(it === "SESSION_SECRET" && isOfInit),
  );
  if (names.length > 0)
    console.error(`note: ${LOCAL_FILE} sets ${names.join(", ")}, which decide who may spend credits; check them`);
}

/** As `init` writes a file of secrets. What git brings has never this mode. */
const isForOwnerAlone = async (file) => ((await stat(file).catch(() => ({ mode: 0o777 }))).mode & 0o077) === 0;

/** Runs the gateway beside the parts that run. */
async function runWith(port, settings, parts, signalled) {
  try {
    const gateway = await startServer({
      host: "127.0.0.1",
      port,
      settings,
      place: `each in the environment, or as a line NAME=value of ${LOCAL_FILE}`,
      folder: resolve(DATA),
      hosts: LOCAL_NAMES,
      proxies: [],
      privateUpstream: true,
      playground: true,
    });
    await introduce(gateway.url, settings, parts);
    return await untilSignal([{ name: "the gateway", ...gateway }, ...parts], signalled);
  } catch (error) {
    await Promise.all(parts.map((it) => it.stop()));
    throw error;
  }
}

/**
 * Those of this machine, or those that are set in their place; and those of the command line.
 *
 * @param {Record<string, string>} own
 * @param {string[]} further
 */
function originsOf({ ALLOWED_ORIGINS: own }, further) {
  const wrong = further.find((it) => !URL.canParse(it) || new URL(it).origin !== it);
  if (wrong !== undefined)
    throw new UsageFailure(
      `--origin is ${JSON.stringify(wrong)}; an origin is a scheme, a host and a port, such as http://localhost:5173`,
    );
  const local = LOCAL_NAMES.flatMap((it) => [`http://${it}:*`, `https://${it}:*`]);
  return [...(own ? [own] : local), ...further].join(",");
}

/** What no setting of one's own may change while the media service is the emulator. */
const emulated = (url, secrets) => ({ UPSTREAM_BASE_URL: url, UPSTREAM_API_KEY: secrets.UPSTREAM_API_KEY });

const emulatorSettings = (url, secrets) => ({
  ...secrets,
  // Not by the emulator's address, whose port may differ next time: ids stay valid.
  TENANT: "dev",
  ANONYMOUS_SESSIONS: "on",
  UPLOAD_HOSTS: "127.0.0.1",
  MEDIA_HOSTS: url,
  // The emulator's avatars and voices.
  PUBLIC_ASSETS: "*",
});

function upstreamSettings(url, own, secrets) {
  const { UPSTREAM_API_KEY: _, ...ownSecrets } = secrets;
  if (!own.UPSTREAM_API_KEY)
    throw new Failure(
      `--upstream needs the media service's key: set UPSTREAM_API_KEY in the environment or in ${LOCAL_FILE}`,
    );
  const settings = { ...ownSecrets, ...own, UPSTREAM_BASE_URL: url };
  return { ...settings, ANONYMOUS_SESSIONS: "off" };
}

/**
 * Prints where everything is, and a token. The gateway's address is not the name localhost: another user of the machine may
 * listen at the address of IPv6 that the name has too.
 */
async function introduce(url, settings, [emulator]) {
  const token = await mintSession({
    secret: settings.SESSION_SECRET,
    subject: "dev",
    scope: "generate:* process:* upload",
    expiresIn: 3600,
    ...(settings.SESSION_AUDIENCE && { audience: settings.SESSION_AUDIENCE }),
    ...(settings.SESSION_ISSUER && { issuer: settings.SESSION_ISSUER }),
  });
  const upstream = emulator
    ? `media service   ${emulator.url}, an emulator; its admin interface is ${emulator.admin}`
    : `media service   ${settings.UPSTREAM_BASE_URL}: tasks cost credits`;
  console.error(`
  gateway         ${url}
  playground      ${url}/
  ${upstream}

  In your page:   const media = await connect({ url: ${JSON.stringify(url)}${emulator ? "" : ", token"} });
  A token for an hour${emulator ? ", which a page on this machine does not need" : ""} (\`mediagate-gateway token\` prints another):

${token}

  Ctrl-C ends ${emulator ? "both" : "it"}. Below is the gateway's log, a line for each request.
`);
}
