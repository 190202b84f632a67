// The capabilities that an upstream module offers, as its models tell.
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { startChild } from "../child.js";
import { Failure } from "../failure.js";
import { printable } from "../printable.js";
import { moduleConfiguration } from "./config.js";
import { prepareFolder } from "./folder.js";
import { createLocator } from "./locations.js";
import { findProgram, systemVariables } from "./program.js";
import { waitUntilListening } from "./run.js";

const LIMIT_MS = 10_000;
/** The document's code of a missing key. */
const MISSING_KEY = 13;

export class MissingKey extends Failure {}

/**
 * Runs a module without the gateway, on a port of this machine.
 *
 * @param {import("./module.js").Module} module
 * @param {{ authorities: string[], privateUpstream: boolean }} network
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 * @throws {Failure} if the module does not start
 */
export async function runAlone(module, network = ANYWHERE) {
  const { file, remove } = await prepareFolder(
    moduleConfiguration({
      ...network,
      module: Object.keys(module.variables),
    }),
    [],
    module,
  );
  const { child, ended } = startChild(
    findProgram(),
    ["serve", "--experimental", "--control-fd=3", file],
    {
      env: { ...systemVariables(), ...module.variables },
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    },
  );
  const [, , stderr, control] =
    /** @type {import("node:stream").Readable[]} */ (child.stdio);
  const locate = createLocator(module);
  createInterface({ input: stderr }).on("line", (line) =>
    console.error(printable(locate(line))),
  );
  const stop = async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null)
      await once(child, "exit");
    await remove();
  };
  const listening = await Promise.race([waitUntilListening(control), ended]);
  if (typeof listening === "object")
    return { url: `http://127.0.0.1:${listening.port}`, stop };
  await stop();
  throw new Failure(
    `the module ${module.file} did not start (${listening}); the lines above say why`,
  );
}

const ANYWHERE = { authorities: [], privateUpstream: true };

/**
 * Runs a module alone, and returns the capabilities of its models. `CAPABILITIES` gets them unless the
 * operator sets it.
 *
 * @param {import("./module.js").Module} module
 * @param {{ authorities: string[], privateUpstream: boolean }} [network]
 * @returns {Promise<string[]>} none if the module lists no models
 * @throws {Failure} if the module does not start
 * @throws {MissingKey} if the module lacks a key of a provider
 */
export async function offersOf(module, network) {
  const { url, stop } = await runAlone(module, network);
  try {
    return await listed(url, module);
  } finally {
    await stop();
  }
}

async function listed(url, { file, variablesFile }) {
  const response = await fetch(`${url}/api/app/v1/models`, {
    signal: AbortSignal.timeout(LIMIT_MS),
  }).catch(() => undefined);
  const body = await response?.json().catch(() => undefined);
  // Without its key, a module reaches no provider, so the gateway could only refuse each create.
  if (body?.code === MISSING_KEY)
    throw new MissingKey(
      `the module ${file} is not ready: ${printable(String(body.message))}; ` +
        `its variables are lines of ${variablesFile}`,
    );
  const models = Array.isArray(body?.data?.models) ? body.data.models : [];
  const named = new Set(models.map((model) => model?.capability));
  // An import of JSON prints a warning in Node 20.
  const { capabilities } = createRequire(import.meta.url)(
    "mediagate/catalogue.json",
  );
  const known = capabilities.map(({ name }) => name);
  const unknown = [...named].filter((name) => !known.includes(name));
  if (unknown.length > 0)
    console.error(
      `note: ${printable(unknown.join(", "))} of ${file}: there is no such capability, so it is not offered`,
    );
  return known.filter((name) => named.has(name));
}
