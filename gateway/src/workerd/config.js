// The configuration of workerd: the gateway, the front before it, the playground's files and the
// storage.

/** The name of the module's binding, and of the setting that stands for it. */
export const BINDING = "UPSTREAM";
export const OBJECTS = {
  LEDGER: "Ledger",
  WATCHER: "Watcher",
  DURATIONS: "Durations",
  TRANSFER: "Transfer",
  PIPELINE: "Pipeline",
};
export const MODULE = "upstream.js";
export const MODULES = ["front.js", "index.js", "index_bg.wasm", "files.js"];
/**
 * The date of the configuration for Cloudflare. Its flag `global_fetch_strictly_public` has no
 * effect on workerd outside of Cloudflare.
 */
const COMPATIBILITY_DATE = "2026-04-01";

/**
 * @typedef {object} Server
 * @property {string} address the address and port that it listens on, without a socket that it gets
 * @property {string} reachable a host at which this machine reaches it
 * @property {string[]} settings names of the settings, whose values are in the environment
 * @property {{ hosts: string[] | null, proxies: string[], readiness: string }} front
 * @property {string} readiness the address and port of the server that checks the storage
 * @property {string} storage the folder with the Durable Objects' data
 * @property {{ folder: string, encoded: string } | undefined} playground the folder with the
 *   playground's files, and the one with their encoded copies
 * @property {boolean} [hidesHealth] true if health checks have no lines in the log
 * @property {object} files the descriptions of these files, from `dist/files.json`
 * @property {string[]} authorities certificates that it trusts beside the system's, in PEM
 * @property {boolean} privateUpstream true if the gateway and its module may connect to this machine
 *   and to private networks
 * @property {string[] | undefined} module the names of the module's variables, whose values are in
 *   the environment; `undefined` without a module
 */

/**
 * Returns the text of the configuration. The file is beside the modules, and contains no secret.
 *
 * @param {Server} server
 */
export const configuration = (
  server,
) => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gateway", worker = .gateway),
    ${network("internet", server)},
    (name = "readiness", external = (address = ${quoted(server.readiness)}, http = ())),
    (name = "storage", disk = (path = ${quoted(server.storage)}, writable = true)),
${server.playground ? fileServices(server.playground) : ""}${server.module ? moduleServices(server) : ""}  ],
  sockets = [(name = "http", address = ${quoted(server.address)}, http = (), service = "gateway")],
);

const gateway :Workerd.Worker = (
  modules = [
    (name = "front.js", esModule = embed "front.js"),
    (name = "index.js", esModule = embed "index.js"),
    (name = "index_bg.wasm", wasm = embed "index_bg.wasm"),
  ],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [
${bindings(server)
  .map((binding) => `    ${binding},`)
  .join("\n")}
  ],
  durableObjectNamespaces = [
${Object.values(OBJECTS).map(namespace).join("\n")}
  ],
  durableObjectStorage = (localDisk = "storage"),
);
${server.playground ? filesWorker(server.files) : ""}${server.module ? moduleWorker(server.module) : ""}`;

/**
 * Returns the text of a configuration of a module alone, on a free port of this machine.
 *
 * @param {Pick<Server, "authorities" | "privateUpstream"> & { module: string[] }} server
 */
export const moduleConfiguration = (
  server,
) => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
${moduleServices(server)}  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "upstream")],
);
${moduleWorker(server.module)}`;

const network = (name, { privateUpstream, authorities }) =>
  `(name = ${quoted(name)}, network = (
      allow = [${privateUpstream ? '"public", "private"' : '"public"'}],
      tlsOptions = (
        trustBrowserCas = true,
        trustedCertificates = [${authorities.map(quoted).join(", ")}],
      ),
    ))`;

const moduleServices = (server) => `    (name = "upstream", worker = .upstream),
    ${network("upstream-internet", server)},
`;

const fileServices = ({
  folder,
  encoded,
}) => `    (name = "disk", disk = (path = ${quoted(folder)})),
    (name = "encoded", disk = (path = ${quoted(encoded)})),
    (name = "files", worker = .files),
`;

function bindings({ settings, front, playground, module }) {
  return [
    ...(module ? [`(name = "${BINDING}", service = "upstream")`] : []),
    ...settings.map(
      (name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`,
    ),
    ...Object.entries(OBJECTS).map(
      ([name, className]) =>
        `(name = ${quoted(name)}, durableObjectNamespace = ${quoted(className)})`,
    ),
    `(name = "FRONT", json = ${quoted(JSON.stringify(front))})`,
    '(name = "READINESS", service = "readiness")',
    ...(playground ? ['(name = "ASSETS", service = "files")'] : []),
  ];
}

/**
 * Returns the key of a class of Durable Objects. workerd names the folder with their data after it,
 * so it never changes.
 *
 * @param {string} name
 */
export const keyOf = (name) => `mediagate-${name}`;

const namespace = (name) =>
  `    (className = ${quoted(name)}, uniqueKey = ${quoted(keyOf(name))}, enableSql = true),`;

const filesWorker = (files) => `
const files :Workerd.Worker = (
  modules = [(name = "files.js", esModule = embed "files.js")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  bindings = [
    (name = "DISK", service = "disk"),
    (name = "ENCODED", service = "encoded"),
    (name = "FILES", json = ${quoted(JSON.stringify(files))}),
  ],
);
`;

const moduleWorker = (variables) => `
const upstream :Workerd.Worker = (
  modules = [(name = "${MODULE}", esModule = embed "${MODULE}")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "upstream-internet",
  bindings = [
${variables
  .map(
    (name) =>
      `    (name = ${quoted(name)}, fromEnvironment = ${quoted(name)}),`,
  )
  .join("\n")}
  ],
);
`;

/** Quotes a string in the configuration's language, whose escapes are those of JSON. */
const quoted = (text) => JSON.stringify(text);
