// `mediagate-gateway dev`: gateway, emulator and playground on this machine.
import { resolve } from "node:path";
import { mintSession } from "mediagate/server";
import { startEmulator } from "../emulator/run.js";
import { Failure, UsageFailure } from "../failure.js";
import { DATA, FOLDER } from "../local.js";
import { portOf } from "../options.js";
import { localSecrets } from "../secrets.js";
import { LOCAL_FILE, readSettings } from "../settings.js";
import { untilSignal } from "../signals.js";
import { startServer } from "../workerd/server.js";

export const summary = "Run gateway, emulator and playground on this machine, until Ctrl-C";

export const help = `
Without --upstream, the media service is an emulator: nothing is charged, and no account is needed. Pages of any port of
this machine may call the gateway. Settings in .dev.vars and in the environment take precedence. What the gateway stores is
in the folder .mediagate.

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
  const port = portOf(values.port);
  const own = await readSettings({ fallbackFile: LOCAL_FILE });
  const secrets = await localSecrets(FOLDER);
  const origins = originsOf(values.origin);
  if (values.upstream !== undefined) warnOf(own);
  if (values.upstream !== undefined) return runWith(port, upstreamSettings(values.upstream, own, secrets, origins), []);
  const emulator = await startEmulator({ apiKey: secrets.UPSTREAM_API_KEY });
  const settings = { ...emulatorSettings(emulator.url, secrets, origins), ...own, ...emulated(emulator.url, secrets) };
  return runWith(port, settings, [{ name: "the emulator", ...emulator }]);
}

/** A folder from elsewhere may bring settings that let others spend. */
function warnOf(own) {
  const names = ["ALLOWED_ORIGINS", "SESSION_SECRET", "SESSION_JWKS_URL"].filter((it) => own[it] && !process.env[it]);
  if (names.length > 0)
    console.error(`note: ${LOCAL_FILE} sets ${names.join(", ")}, which decide who may spend credits; check them`);
}

/** Runs the gateway beside the parts that run. */
async function runWith(port, settings, parts) {
  try {
    const gateway = await startServer({
      host: "127.0.0.1",
      port,
      settings,
      folder: resolve(DATA),
      hosts: LOCAL_NAMES,
      proxies: [],
      privateUpstream: true,
      playground: true,
    });
    await introduce(gateway.url, settings, parts);
    return await untilSignal([{ name: "the gateway", ...gateway }, ...parts]);
  } catch (error) {
    await Promise.all(parts.map((it) => it.stop()));
    throw error;
  }
}

function originsOf(further) {
  const wrong = further.find((it) => !URL.canParse(it) || new URL(it).origin !== it);
  if (wrong !== undefined)
    throw new UsageFailure(
      `--origin is ${JSON.stringify(wrong)}; an origin is a scheme, a host and a port, such as http://localhost:5173`,
    );
  return [...LOCAL_NAMES.flatMap((it) => [`http://${it}:*`, `https://${it}:*`]), ...further].join(",");
}

/** What no setting of one's own may change while the media service is the emulator. */
const emulated = (url, secrets) => ({ UPSTREAM_BASE_URL: url, UPSTREAM_API_KEY: secrets.UPSTREAM_API_KEY });

const emulatorSettings = (url, secrets, origins) => ({
  ...secrets,
  ALLOWED_ORIGINS: origins,
  ANONYMOUS_SESSIONS: "on",
  UPLOAD_HOSTS: "127.0.0.1",
  MEDIA_HOSTS: url,
  // The emulator's avatars and voices.
  PUBLIC_ASSETS: "*",
});

function upstreamSettings(url, own, secrets, origins) {
  const { UPSTREAM_API_KEY: _, ...ownSecrets } = secrets;
  if (!own.UPSTREAM_API_KEY)
    throw new Failure(
      `--upstream needs the media service's key: set UPSTREAM_API_KEY in the environment or in ${LOCAL_FILE}`,
    );
  const settings = { ...ownSecrets, ALLOWED_ORIGINS: origins, ...own, UPSTREAM_BASE_URL: url };
  return { ...settings, ANONYMOUS_SESSIONS: "off" };
}

/** Prints where everything is, and a token. */
async function introduce(url, settings, [emulator]) {
  // Not by the name localhost: another user of the machine may listen at its address of IPv6.
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

  In your page:   const media = await connect({ url: ${JSON.stringify(url)} });
  A token for an hour (\`mediagate-gateway token\` prints another):

${token}

  Ctrl-C ends ${emulator ? "both" : "it"}. Below is the gateway's log, a line for each request.
`);
}
