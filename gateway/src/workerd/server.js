import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Failure } from "../failure.js";
import { DIST, distJson } from "../package.js";
import { checkAddress, inUrl } from "./address.js";
import { spreadAlarms } from "./alarms.js";
import { readAuthorities } from "./authorities.js";
import { checkSettings } from "./check.js";
import { removeEmpty, removeEmptyHourly } from "./empty.js";
import { checkFolder, lockFolder } from "./lock.js";
import { withBinding } from "./module.js";
import { offersOf } from "./offers.js";
import { tellOpenFiles } from "./open-files.js";
import { checkSystem } from "./program.js";
import { startReadiness } from "./readiness.js";
import { startWorkerd } from "./run.js";
import { holdSocket, isActivated } from "./socket.js";

/** Milliseconds that requests have to finish after a stop, unless the options say otherwise. */
const DRAIN_MS = 8_000;
/**
 * Defaults of a server. A pipeline holds its object while it is awake, and all objects of a process
 * share the memory of its storage.
 */
const DEFAULTS = { PIPELINES_PER_TENANT: "200" };

/**
 * @typedef {object} Options
 * @property {string} host the address to listen on
 * @property {number} port 0 is any free one
 * @property {Record<string, string>} settings
 * @property {string} place the places where a person sets them, in words
 * @property {string} folder the folder for the Durable Objects' data; made if it is missing
 * @property {string[] | null} hosts the names that it is reached by; `null` for any name
 * @property {string[]} proxies whose headers about a request's sender are trusted
 * @property {boolean} privateUpstream
 * @property {import("./module.js").Module} [module] the upstream module, if there is one
 * @property {boolean} playground
 * @property {boolean} [hidesHealth] true if health checks have no lines in the log
 * @property {number} [drainMs] milliseconds that requests have to finish after a stop
 */

/**
 * @typedef {object} Serving
 * @property {string} url
 * @property {Promise<number | string>} ended resolves once workerd has ended and is not replaced
 * @property {() => Promise<void>} stop
 * @property {(
 *   settings: Record<string, string>,
 *   drainMs: number,
 *   module?: import("./module.js").Module,
 * ) => Promise<void>} restart checks other settings and the module, and replaces the process by one
 *   that has them; rejects if they are wrong, and the process goes on
 */

/**
 * Starts a gateway on this machine, and checks that it serves. Before it writes anything, it checks
 * that the settings are valid and that no other gateway uses the folder.
 *
 * @param {Options} options
 * @returns {Promise<Serving>}
 * @throws {Failure} if it does not start, or if a setting is not valid; the message names the
 *   setting
 */
export async function startServer({
  host,
  port,
  settings,
  place,
  folder,
  playground,
  module,
  drainMs = DRAIN_MS,
  ...options
}) {
  checkSystem();
  // Before the address: a gateway that uses the folder may listen there, and the message should
  // name it.
  await checkFolder(folder);
  if (!isActivated()) await checkAddress(host, port);
  await checkSettings(withBinding(settings, module), place);
  const authorities = await readAuthorities();
  // All data, also workerd's, is readable only by this user, even in a folder that others may read.
  process.umask(0o077);
  await makeFolder(folder);
  const lock = await lockFolder(folder);
  const socket = await holdSocket(host, port).catch(async (error) => {
    await lock.release();
    throw error;
  });
  // A failure is ignored: workerd reports a folder that it can't read.
  await removeEmpty(folder).catch(() => undefined);
  const readiness = await startReadiness(folder);
  const release = () => {
    socket?.close();
    readiness.stop();
    return lock.release();
  };
  const files = playground ? await distJson("files.json") : {};
  const withOffersOf = (values, module, authorities) =>
    withOffers(values, module, {
      authorities,
      privateUpstream: options.privateUpstream,
    });
  const start = async (given, module, drainMs, authorities) => {
    const values = { ...DEFAULTS, ...given };
    const server = {
      ...options,
      address: `${inUrl(host)}:${port}`,
      reachable: inUrl(reachable(socket?.host ?? host)),
      authorities,
      settings: Object.keys(values),
      front: {
        hosts: options.hosts,
        proxies: options.proxies,
        readiness: readiness.path,
      },
      readiness: readiness.address,
      storage: folder,
      playground: playground
        ? { folder: join(DIST, "www"), encoded: join(DIST, "encoded") }
        : undefined,
      files,
      module: module && Object.keys(module.variables),
    };
    spreadAlarms(folder);
    const environment = { ...values, ...module?.variables };
    const running = await startWorkerd(server, environment, {
      socket,
      module,
      drainMs,
      started: lock.hold,
    });
    void running.ended.then(removeEmptyHourly(folder, running));
    const url = `http://${server.reachable}:${running.port}`;
    try {
      await tellOpenFiles(`${url}${readiness.path}/open-files`, running);
      await checkReadiness(url);
      await lock.serve(url);
    } catch (error) {
      await running.stop();
      throw error;
    }
    return { ...running, url };
  };
  const first = await withOffersOf(settings, module, authorities)
    .then((values) => start(values, module, drainMs, authorities))
    .catch(async (error) => {
      await release();
      throw error;
    });
  const { ended, stop, replace } = follow(first);
  void ended.then(release);
  return {
    url: first.url,
    ended,
    stop: () => {
      // Callers that wait for the next process are refused once this one has ended.
      socket?.close();
      return stop();
    },
    restart: async (own, drainMs, module) => {
      await checkSettings(withBinding(own, module), place);
      const authorities = await readAuthorities();
      const values = await withOffersOf(own, module, authorities);
      await replace(() => start(values, module, drainMs, authorities));
    },
  };
}

/** Returns settings with the capabilities that a module offers, unless they have `CAPABILITIES`. */
async function withOffers(settings, module, network) {
  if (!module) return settings;
  const offers = await offersOf(module, network);
  if (settings.CAPABILITIES) return settings;
  if (offers.length > 0) return { ...settings, CAPABILITIES: offers.join(",") };
  console.error(
    "note: the models of the module name no capability, so all of the service's document are " +
      "offered; list in CAPABILITIES what the module serves",
  );
  return settings;
}

/**
 * Follows a process that may be replaced. One change ends before the next one begins.
 *
 * @template {{ ended: Promise<number | string>, stop: () => Promise<void> }} P
 */
function follow(first) {
  const { promise: ended, resolve } = withResolvers();
  const state = {
    running: /** @type {P | undefined} */ (undefined),
    change: Promise.resolve(),
    isOver: false,
  };
  const watch = (running) => {
    state.running = running;
    void running.ended.then((code) => {
      if (state.running === running) resolve(code);
    });
  };
  watch(first);
  const after = (work) => {
    state.change = state.change.then(work);
    return state.change;
  };
  return {
    ended,
    stop: () => {
      state.isOver = true;
      return after(() => state.running?.stop());
    },
    /** @param {() => Promise<P>} start */
    replace: (start) =>
      after(async () => {
        if (state.isOver) return;
        const old = state.running;
        state.running = undefined;
        await old?.stop();
        try {
          watch(await start());
        } catch (error) {
          resolve(error instanceof Error ? error.message : String(error));
        }
      }),
  };
}

/** @returns {{ promise: Promise<number | string>, resolve: (code: number | string) => void }} */
function withResolvers() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

async function makeFolder(folder) {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Failure(
      `the folder ${folder}, for the gateway's data, can't be made (${codeOf(error)})`,
    );
  }
}

/** Requests the gateway's own check. A bucket may start later than the gateway. */
async function checkReadiness(url) {
  const response = await fetch(`${url}/readyz`).catch((error) => {
    throw new Failure(
      `the gateway does not respond (${error.cause?.code ?? error.message}); ` +
        "the lines above say why",
    );
  });
  if (response.ok) return;
  const { message, data } = await response.json();
  if (data?.reason === "bucket") return console.error(`note: ${message}`);
  throw new Failure(`the gateway can't serve: ${message}`);
}

/** Returns an address that can be connected to, for an address to listen on. */
const reachable = (host) =>
  ({ "0.0.0.0": "127.0.0.1", "::": "::1" })[host] ?? host;
