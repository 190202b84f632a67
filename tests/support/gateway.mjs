// Starts the built gateway in workerd, with the settings of a test.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { OBJECTS } from "../../gateway/src/workerd/config.js";
import "./connections.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const BUILD = `${root}crates/entry/build`;
/** The built example of a Worker that embeds the gateway. */
export const EMBEDDED = `${root}examples/embedded-gateway/build`;
/** A build of the gateway in which a request can cause a panic. */
export const PANICKING = `${root}tests/panicking-gateway/build`;
const playground = `${root}www/dist`;

/** All required settings except `UPSTREAM_BASE_URL`. */
export const SETTINGS = {
  UPSTREAM_API_KEY: "sk-canary-7f3a9b1c5d2e8f60",
  SESSION_SECRET: "session-secret-session-secret-session-secret",
  SEAL_SECRET: "seal-secret-seal-secret-seal-secret-seal-secret",
};

/**
 * Returns the gateway's lines of the log, without workerd's own messages, such as warnings on a
 * busy machine.
 */
export const logged = (logs) =>
  logs.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));

/**
 * Starts a gateway on a free port of 127.0.0.1.
 *
 * @param {Record<string, string>} settings added to `SETTINGS`
 * @param {{
 *   port?: number,
 *   assets?: boolean,
 *   state?: string,
 *   build?: string,
 *   objects?: string[],
 *   module?: string,
 *   hasBucket?: boolean,
 * }} options `assets` also serves the playground; `state` is a folder in which Durable Objects
 *   outlive this gateway; `build` is the folder of another Worker's build; `objects` are the
 *   bindings of Durable Objects, by default all; `module` is the URL of a server behind the service
 *   binding of an upstream module; `hasBucket` adds an R2 bucket
 * @returns {Promise<{ url: string, logs: string[], stop: () => Promise<void> }>} `logs` grows with
 *   every logged line
 */
export async function startGateway(settings, options = {}) {
  const {
    port = 0,
    assets = false,
    state,
    build = BUILD,
    objects = Object.keys(OBJECTS),
    module,
    hasBucket = false,
  } = options;
  if (!existsSync(`${build}/index.js`))
    throw new Error("the gateway is not built: run `cargo xtask build`");
  const logs = [];
  const collect = (stream) =>
    createInterface({ input: stream }).on(
      "line",
      (line) => line && logs.push(line),
    );
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port,
    rootPath: build,
    scriptPath: "index.js",
    modules: true,
    modulesRules: [
      { type: "ESModule", include: ["**/*.js"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    compatibilityDate: "2026-04-01",
    bindings: { ...SETTINGS, ...settings },
    durableObjects: Object.fromEntries(
      objects.map((name) => [
        name,
        { className: OBJECTS[name], useSQLite: true },
      ]),
    ),
    durableObjectsPersist: state ?? false,
    cf: false,
    ...(hasBucket && { r2Buckets: ["UPLOADS_BUCKET"] }),
    ...(module && {
      serviceBindings: {
        UPSTREAM: { external: { address: new URL(module).host, http: {} } },
      },
    }),
    handleRuntimeStdio: (stdout, stderr) => [stdout, stderr].forEach(collect),
    ...(assets && {
      assets: {
        directory: playground,
        binding: "ASSETS",
        routerConfig: {
          invoke_user_worker_ahead_of_assets: true,
          has_user_worker: true,
        },
      },
    }),
  });
  const url = (await miniflare.ready).origin;
  let stopped;
  const stop = () => (stopped ??= miniflare.dispose());
  return { url, logs, stop };
}
