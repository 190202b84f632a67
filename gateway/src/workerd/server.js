import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Failure } from "../failure.js";
import { DIST, distJson } from "../package.js";
import { checkAddress, inUrl } from "./address.js";
import { checkSettings } from "./check.js";
import { removeEmpty, removeEmptyDaily } from "./empty.js";
import { checkFolder, lockFolder } from "./lock.js";
import { watchOpenFiles } from "./open-files.js";
import { startReadiness } from "./readiness.js";
import { startWorkerd } from "./run.js";

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
 * @property {boolean} playground
 */

/**
 * Starts a gateway on this machine, and checks that it serves. Before it writes anything, it checks
 * that the settings are valid and that no other gateway uses the folder.
 *
 * @param {Options} options
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
  ...options
}) {
  // Before the address: a gateway that uses the folder may listen there, and the message should
  // name it.
  await checkFolder(folder);
  await checkAddress(host, port);
  await checkSettings(settings, place);
  // All data, also workerd's, is readable only by this user, even in a folder that others may read.
  process.umask(0o077);
  await makeFolder(folder);
  const lock = await lockFolder(folder);
  // A failure is ignored: workerd reports a folder that it can't read.
  await removeEmpty(folder).catch(() => undefined);
  const openFiles = watchOpenFiles();
  const readiness = await startReadiness(folder, openFiles.read);
  const release = () => {
    readiness.stop();
    return lock.release();
  };
  const server = await startWorkerd(
    {
      ...options,
      address: `${inUrl(host)}:${port}`,
      settings: Object.keys(settings),
      front: {
        hosts: options.hosts,
        proxies: options.proxies,
        readiness: readiness.path,
      },
      readiness: readiness.address,
      storage: folder,
      playground: playground ? join(DIST, "www") : undefined,
      files: playground ? await distJson("files.json") : {},
    },
    settings,
    (pid) => {
      openFiles.watch(pid);
      return lock.hold(pid);
    },
  ).catch(async (error) => {
    await release();
    throw error;
  });
  const stopRemoving = removeEmptyDaily(folder, server);
  void server.ended.then(stopRemoving).then(release);
  const url = `http://${inUrl(reachable(host))}:${server.port}`;
  try {
    await checkHealth(url);
    await lock.serve(url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, url };
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

/** Requests the gateway's own check of its settings. */
async function checkHealth(url) {
  const response = await fetch(`${url}/healthz`).catch((error) => {
    throw new Failure(
      `the gateway does not respond (${error.cause?.code ?? error.message}); ` +
        "the lines above say why",
    );
  });
  if (response.ok) return;
  const { message } = await response.json();
  throw new Failure(`the gateway can't serve: ${message}`);
}

/** Returns an address that can be connected to, for an address to listen on. */
const reachable = (host) =>
  ({ "0.0.0.0": "127.0.0.1", "::": "::1" })[host] ?? host;
