// The capabilities that an upstream module offers, as its models tell.
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { startChild } from "../child.js";
import { Failure } from "../failure.js";
import { printable } from "../printable.js";
import { moduleConfiguration } from "./config.js";
import { prepareFolder } from "./folder.js";
import { findProgram, systemVariables } from "./program.js";
import { waitUntilListening } from "./run.js";

/** Milliseconds that the module has to list its models. */
const LIMIT_MS = 10_000;
/** The document's code of a missing key. */
const MISSING_KEY = 13;

/**
 * Runs a module alone, and returns the capabilities of its models. They are `CAPABILITIES` unless the
 * operator sets it.
 *
 * @param {import("./module.js").Module} module
 * @param {{ authorities: string[], privateUpstream: boolean }} network
 * @returns {Promise<string[]>} none if the module lists no models
 * @throws {Failure} if the module does not start, or if it lacks a key of a provider
 */
export async function offersOf(module, network) {
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
  createInterface({ input: stderr }).on("line", (line) =>
    console.error(printable(line)),
  );
  try {
    const listening = await Promise.race([waitUntilListening(control), ended]);
    if (typeof listening !== "object")
      throw new Failure(
        `the module ${module.file} did not start (${listening}); the lines above say why`,
      );
    return await listed(`http://127.0.0.1:${listening.port}`, module);
  } finally {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null)
      await once(child, "exit");
    await remove();
  }
}

/**
 * Returns the capabilities of a module that a command runs only for that.
 *
 * @param {import("./module.js").Module} module
 * @throws {Failure} see {@link offersOf}
 */
export const offersAnywhere = (module) =>
  offersOf(module, { authorities: [], privateUpstream: true });

/** Resolves to the capabilities of the models at a module's address. */
async function listed(url, { file, variablesFile }) {
  const response = await fetch(`${url}/api/app/v1/models`, {
    signal: AbortSignal.timeout(LIMIT_MS),
  }).catch(() => undefined);
  const body = await response?.json().catch(() => undefined);
  // Without its key, a module reaches no provider, so the gateway could only refuse each create.
  if (body?.code === MISSING_KEY)
    throw new Failure(
      `the module ${file} is not ready: ${printable(String(body.message))}; ` +
        `its variables are lines of ${variablesFile}`,
    );
  const models = Array.isArray(body?.data?.models) ? body.data.models : [];
  const named = new Set(models.map((model) => model?.capability));
  // An import of JSON prints a warning in Node 20.
  const { capabilities } = createRequire(import.meta.url)(
    "mediagate/catalogue.json",
  );
  return capabilities.map(({ name }) => name).filter((name) => named.has(name));
}
