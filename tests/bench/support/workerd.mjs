// Starts workerd itself, without miniflare's proxy before it, so that only the Worker is measured.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { OBJECTS } from "../../../gateway/src/workerd/config.js";
import { SETTINGS } from "../../support/gateway.mjs";
import { bundle } from "./bundle.mjs";

const WORKERD = fileURLToPath(
  new URL("../../../node_modules/workerd/bin/workerd", import.meta.url),
);
const GATEWAY = fileURLToPath(
  new URL("../../../crates/entry/build", import.meta.url),
);
const DATE = "2026-04-01";

const quoted = (text) => JSON.stringify(text);

/**
 * @param {{
 *   modules: Record<string, Buffer>,
 *   bindings: Record<string, string>,
 *   objects?: Record<string, string>,
 *   folder?: string,
 * }} worker modules by name, the entry first; `objects` are the Durable Objects' classes by
 *   binding; the storage is in `folder`
 * @returns {Promise<{ url: string, pid: number, started: number, stop: () => Promise<void> }>}
 *   `started` is the number of milliseconds until it listened
 */
async function startWorkerd(worker) {
  const folder = await mkdtemp(
    join(worker.folder ?? tmpdir(), "mediagate-bench-"),
  );
  await mkdir(join(folder, "state"));
  for (const [name, bytes] of Object.entries(worker.modules))
    await writeFile(join(folder, name), bytes);
  await writeFile(join(folder, "config.capnp"), config(folder, worker));
  const start = performance.now();
  // Its control channel reports its port. Its logs are written, as in production, and discarded.
  const child = spawn(
    WORKERD,
    ["serve", "--experimental", "--control-fd=3", join(folder, "config.capnp")],
    {
      env: { ...process.env, MINIFLARE_WORKERD_PATH: "" },
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const port = await Promise.race([
    listening(child.stdio[3]),
    ended.then(() =>
      Promise.reject(new Error("workerd ended; its message is above")),
    ),
  ]);
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true });
  };
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    started: performance.now() - start,
    stop,
  };
}

async function listening(control) {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line);
    if (event === "listen") return port;
  }
  return new Promise(() => {});
}

function config(folder, { modules, bindings, objects = {} }) {
  const kind = (name) => (name.endsWith(".wasm") ? "wasm" : "esModule");
  const listed = [
    ...Object.entries(bindings).map(
      ([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`,
    ),
    ...Object.entries(objects).map(
      ([name, className]) =>
        `(name = ${quoted(name)}, durableObjectNamespace = ${quoted(className)})`,
    ),
  ];
  const spaces = Object.values(objects).map(
    (object) =>
      `(className = ${quoted(object)}, uniqueKey = ${quoted(object)}, enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
    (name = "state", disk = (path = ${quoted(join(folder, "state"))}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [${Object.keys(modules).map((name) => `(name = ${quoted(name)}, ${kind(name)} = embed ${quoted(name)})`)}],
  compatibilityDate = ${quoted(DATE)},
  bindings = [${listed}],
  durableObjectNamespaces = [${spaces}],
  durableObjectStorage = (localDisk = "state"),
);
`;
}

/**
 * Starts the gateway with every limit on: sessions, origins, rate limits, circuit breaker, tasks in
 * flight.
 *
 * @param {string} upstream
 * @param {Record<string, string>} settings
 * @param {{ folder?: string }} options
 */
export async function startGateway(upstream, settings = {}, options = {}) {
  /** @type {Record<string, Buffer>} */
  const modules = {};
  for (const name of ["index.js", "index_bg.wasm"])
    modules[name] = await readFile(join(GATEWAY, name));
  const bindings = {
    ...SETTINGS,
    UPSTREAM_BASE_URL: upstream,
    ALLOWED_ORIGINS: ORIGIN,
    ...LIMITS,
    ...settings,
  };
  return startWorkerd({
    modules,
    bindings,
    objects: OBJECTS,
    ...options,
  });
}

export const ORIGIN = "https://app.example.com";
/** Limits that are on, but never reached. All gateways have them, so that they do equal work. */
export const LIMITS = {
  RATE_LIMIT_PER_MINUTE: "1000000",
  MAX_TASKS_IN_FLIGHT: "10000",
  BREAKER_FAILURES: "100",
  STREAMS_PER_SUBJECT: "10000",
  REQUESTS_AT_ONCE: "10000",
};

/**
 * Starts one of the Workers in `gateway/`.
 *
 * @param {string} name
 * @param {string} upstream
 * @param {{ objects?: Record<string, string>, folder?: string }} options
 */
export async function startPeer(name, upstream, options = {}) {
  const exported = ["default", ...Object.values(options.objects ?? {})].join(
    ", ",
  );
  const code = await bundle(
    `export { ${exported} } from "./gateway/${name}.js"`,
    {
      define: { "process.env": "{}" },
      external: ["cloudflare:workers"],
    },
  );
  const { UPSTREAM_API_KEY, SESSION_SECRET } = SETTINGS;
  const bindings = {
    UPSTREAM_API_KEY,
    SESSION_SECRET,
    UPSTREAM_BASE_URL: upstream,
    ALLOWED_ORIGINS: ORIGIN,
  };
  return startWorkerd({ modules: { "index.js": code }, bindings, ...options });
}

export const startDurablePeer = (upstream, options = {}) =>
  startPeer("durable-peer", upstream, {
    objects: { CREATES: "Creates" },
    ...options,
  });
