// `mediagate-gateway serve`: the gateway on a server of one's own.
import { resolve } from "node:path";
import { checkBucket } from "../bucket/check.js";
import { Failure } from "../failure.js";
import { defaultDrain, drainOf, portOf, proxiesOf } from "../options.js";
import { checkAddresses } from "../private-upstream.js";
import { readSettings } from "../settings.js";
import { nextSignal, untilSignal } from "../signals.js";
import { noteProxy } from "../workerd/authorities.js";
import { readModule } from "../workerd/module.js";
import { checkOpenFiles } from "../workerd/open-files.js";
import { startServer } from "../workerd/server.js";

export const summary =
  "Run the gateway on a server of your own, until it gets SIGTERM or SIGINT";

export const help = `
Settings come from the environment (UPSTREAM_BASE_URL, UPSTREAM_API_KEY, SESSION_SECRET,
SEAL_SECRET, …), or from a file. The log goes to the standard output: one line of JSON for each
request. /healthz responds with 200 once it serves. SIGHUP reads the settings again. After SIGTERM,
requests have DRAIN_SECONDS to finish [default: 8; with a module 15 more than UPSTREAM_TIMEOUT_MS].

Options:
  --port PORT             the port that it listens on [default: 8787]
  --host ADDRESS          the address that it listens on [default: 127.0.0.1]; put a proxy with TLS
                          before it
  --settings FILE         settings as lines NAME=value, or under [vars] of a .toml file such as one
                          of \`check\`; those in the environment take precedence
  --data FOLDER           the folder that creates, budgets and watched tasks are stored in
                          [default: ./mediagate-data]; back it up
  --trust-proxy LIST      addresses or networks of your proxy, separated by commas, such as
                          127.0.0.1 or 10.0.0.0/8. Its X-Forwarded-For and X-Forwarded-Proto count;
                          those of others are ignored
  --private-upstream      let the gateway connect to this machine and to private networks, if the
                          media service, the bucket for results, the endpoints of webhooks or the
                          keys of your identity provider are there
  --upstream-module FILE  an upstream module, instead of UPSTREAM_BASE_URL and UPSTREAM_API_KEY: a
                          Worker in TypeScript or JavaScript, in front of any provider
  --upstream-vars FILE    the variables of the module, such as the provider's key, as lines
                          NAME=value; those of these names in the environment take precedence
                          [default: .dev.vars beside the module]
  --no-playground         serve the API alone
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  port: { type: "string", default: "8787" },
  host: { type: "string", default: "127.0.0.1" },
  settings: { type: "string" },
  data: { type: "string", default: "mediagate-data" },
  "trust-proxy": { type: "string", default: "" },
  "private-upstream": { type: "boolean", default: false },
  "upstream-module": { type: "string" },
  "upstream-vars": { type: "string" },
  "no-playground": { type: "boolean", default: false },
};

export async function run(values) {
  const port = portOf(values.port);
  const proxies = proxiesOf(values["trust-proxy"]);
  checkOpenFiles();
  noteProxy();
  const { settings, drainMs, module } = await read(values);
  const folder = resolve(values.data);
  // SIGHUP from a terminal means that the terminal was closed.
  const canReload = !process.stdin.isTTY;
  const signalled = nextSignal(
    canReload ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"],
  );
  const server = await startServer({
    host: values.host,
    port,
    settings,
    place: "each in the environment, or in the file that --settings names",
    folder,
    hosts: null,
    proxies,
    privateUpstream: values["private-upstream"],
    module,
    playground: !values["no-playground"],
    drainMs,
  });
  if (canReload)
    process.on("SIGHUP", () => void reload(server, values, ending.signal));
  console.error(`the gateway serves ${server.url}; its data is in ${folder}`);
  const ending = new AbortController();
  void reportBucket(settings, ending.signal);
  const code = await untilSignal(
    [{ name: "the gateway", ...server }],
    signalled,
  );
  ending.abort();
  return code;
}

/** Reads and checks the settings, as far as this command knows more of them than the gateway. */
async function read(values) {
  const { DRAIN_SECONDS: stated, ...settings } = await readSettings({
    file: values.settings,
    own: ["DRAIN_SECONDS"],
  });
  checkAddresses(settings, values["private-upstream"]);
  const module = await readModule(
    values["upstream-module"],
    values["upstream-vars"],
  );
  const drain = stated ?? defaultDrain(settings, module !== undefined);
  return { settings, drainMs: drainOf(drain), module };
}

/**
 * Tries the bucket with a small object, and prints what is wrong with it. The gateway serves
 * anyway: a bucket may come back, and creates don't need it.
 *
 * @param {AbortSignal} signal of the gateway's end, which must not wait for the bucket
 */
async function reportBucket(settings, signal) {
  const findings = await checkBucket(settings, signal);
  if (signal.aborted) return;
  for (const { line } of findings) console.error(line);
}

/** Replaces workerd by a process with the present settings, unless they are wrong. */
async function reload(server, values, signal) {
  try {
    const { settings, drainMs, module } = await read(values);
    await server.restart(settings, drainMs, module);
    console.error(
      "the gateway has read its settings again, and serves with them",
    );
    void reportBucket(settings, signal);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(
      `error: ${error.message}\nThe gateway goes on with its settings.`,
    );
  }
}
