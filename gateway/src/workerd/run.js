// workerd's process: started with a configuration, stopped within a limited time.
import { createInterface } from "node:readline";
import { startChild } from "../child.js";
import { Failure } from "../failure.js";
import { printable } from "../printable.js";
import { configuration } from "./config.js";
import { prepareFolder } from "./folder.js";
import { createTranslator } from "./messages.js";
import { findProgram, systemVariables } from "./program.js";

/**
 * Milliseconds that requests have to finish after a stop. Without a limit, an open stream would
 * delay the stop for minutes.
 */
const GRACE_MS = 5_000;

/**
 * @typedef {object} Running
 * @property {number} port
 * @property {number} pid
 * @property {(name: NodeJS.Signals) => boolean} signal
 * @property {Promise<number | string>} ended resolves to the exit code or the signal's name
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the gateway. Its log goes to the standard output, one line for each request.
 *
 * @param {import("./config.js").Server} server
 * @param {Record<string, string>} values of the settings: workerd's environment
 * @param {(pid: number) => Promise<void>} started called with the process's id before it serves
 * @returns {Promise<Running>}
 */
export async function startWorkerd(server, values, started) {
  const { file, remove } = await prepareFolder(configuration(server));
  const { child, ended: exited } = startChild(
    findProgram(),
    ["serve", "--experimental", "--control-fd=3", file],
    {
      env: { ...systemVariables(), ...values },
      stdio: ["ignore", "inherit", "pipe", "pipe"],
    },
  );
  const [, , stderr, control] =
    /** @type {import("node:stream").Readable[]} */ (child.stdio);
  const toPrint = createTranslator();
  createInterface({ input: stderr }).on("line", (line) => {
    const printed = toPrint(line);
    // workerd repeats a caller's text, which a terminal must not obey.
    for (const message of printed.messages) console.error(printable(message));
    for (const logged of printed.log) console.log(logged);
  });
  const ended = exited.finally(remove);
  const stop = () => stopChild(child, ended);
  try {
    if (child.pid !== undefined) await started(child.pid);
  } catch (error) {
    await stop();
    throw error;
  }
  const port = await Promise.race([waitUntilListening(control), ended]);
  if (typeof port !== "object")
    throw new Failure(
      `the gateway did not start (${port}); the lines above say why`,
    );
  // workerd has read the files by now. Removed at once, they are not left behind if this process is
  // killed.
  await remove();
  return {
    ...port,
    pid: child.pid,
    signal: (name) => child.kill(name),
    ended,
    stop,
  };
}

/** Resolves to the port once workerd listens. */
async function waitUntilListening(control) {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line);
    if (event === "listen") return { port };
  }
  return new Promise(() => {});
}

async function stopChild(child, ended) {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(timer);
}
