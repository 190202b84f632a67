// The configuration of workerd: the gateway, what stands before it, its files, its storage.

/** The Durable Objects of the gateway, by the names of their bindings. */
export const OBJECTS = {
  LEDGER: "Ledger",
  WATCHER: "Watcher",
  DURATIONS: "Durations",
  TRANSFER: "Transfer",
  PIPELINE: "Pipeline",
};
/** The files that the configuration embeds. */
export const MODULES = ["front.js", "index.js", "index_bg.wasm", "files.js"];
/**
 * As in the configuration for Cloudflare, whose flag `global_fetch_strictly_public` has no effect on
 * workerd alone.
 */
const COMPATIBILITY_DATE = "2026-04-01";

/**
 * @typedef {object} Server
 * @property {string} address where it listens: an address and a port
 * @property {string[]} settings names of the settings, whose values are in the environment
 * @property {{ hosts: string[] | null, proxies: string[], readiness: string }} front
 * @property {string} readiness the address and port of the server that checks the storage
 * @property {string} storage the folder with the Durable Objects' data
 * @property {string | undefined} playground the folder with the playground's files
 * @property {object} files what `dist/files.json` says of them
 * @property {boolean} privateUpstream whether the gateway may connect to this machine and to private networks
 */

/**
 * The text of the configuration. It stands beside the modules, and has no secret in it.
 *
 * @param {Server} server
 */
export const configuration = (
  server,
) => `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gateway", worker = .gateway),
    (name = "internet", network = (
      allow = [${server.privateUpstream ? '"public", "private"' : '"public"'}],
      tlsOptions = (trustBrowserCas = true),
    )),
    (name = "readiness", external = (address = ${quoted(server.readiness)}, http = ())),
    (name = "storage", disk = (path = ${quoted(server.storage)}, writable = true)),
${server.playground ? playground(server.playground) : ""}  ],
  sockets = [(name = "http", address = ${quoted(server.address)}, http = (), service = "gateway")],
);

const gateway :Workerd.Worker = (
  modules = [
    (name = "front.js", esModule = embed "front.js"),
    (name = "index.js", esModule = embed "index.js"),
    (name = "index_bg.wasm", wasm = embed "index_bg.wasm"),
  ],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  bindings = [
${bindings(server)
  .map((it) => `    ${it},`)
  .join("\n")}
  ],
  durableObjectNamespaces = [
${Object.values(OBJECTS).map(namespace).join("\n")}
  ],
  durableObjectStorage = (localDisk = "storage"),
);
${server.playground ? filesWorker(server.files) : ""}`;

const playground = (
  folder,
) => `    (name = "disk", disk = (path = ${quoted(folder)})),
    (name = "files", worker = .files),
`;

function bindings({ settings, front, playground }) {
  return [
    ...settings.map(
      (name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`,
    ),
    ...Object.entries(OBJECTS).map(
      ([name, it]) =>
        `(name = ${quoted(name)}, durableObjectNamespace = ${quoted(it)})`,
    ),
    `(name = "FRONT", json = ${quoted(JSON.stringify(front))})`,
    '(name = "READINESS", service = "readiness")',
    ...(playground ? ['(name = "ASSETS", service = "files")'] : []),
  ];
}

/**
 * Returns the key of a class of Durable Objects. workerd names the folder with their data after it, so it never changes.
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
    (name = "FILES", json = ${quoted(JSON.stringify(files))}),
  ],
);
`;

/** A string in the configuration's language, whose escapes are those of JSON. */
const quoted = (text) => JSON.stringify(text);
