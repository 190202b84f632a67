// workerd's process: started with a configuration, stopped within a limited time.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { endWithParent } from "../end-with-parent.js";
import { Failure } from "../failure.js";
import { printable } from "../printable.js";
import { configuration } from "./config.js";
import { configured } from "./folder.js";
import { messages } from "./messages.js";
import { program, systemVariables } from "./program.js";

/** Milliseconds that requests have to end once a stop is requested; an open stream would otherwise hold it for minutes. */
const GRACE_MS = 5_000;

/**
 * Starts the gateway. Its log goes to the standard output, one line for each request.
 *
 * @param {import("./config.js").Server} server
 * @param {Record<string, string>} values of the settings: workerd's environment
 * @param {(pid: number) => Promise<void>} started is called with its process's id, before it serves
 * @returns {Promise<{ port: number, pid: number, signal: (name: NodeJS.Signals) => boolean, ended: Promise<number | string>, stop: () => Promise<void> }>}
 *   `ended` resolves to the exit code or the signal's name
 */
export async function startWorkerd(server, values, started) {
  const { file, remove } = await configured(configuration(server));
  const child = spawn(
    program(),
    ["serve", "--experimental", "--control-fd=3", file],
    {
      env: { ...systemVariables(), ...values },
      stdio: ["ignore", "inherit", "pipe", "pipe"],
    },
  );
  const [, , stderr, control] =
    /** @type {import("node:stream").Readable[]} */ (child.stdio);
  const toPrint = messages();
  createInterface({ input: stderr }).on("line", (line) => {
    const { messages, log } = toPrint(line);
    // workerd repeats what a caller has sent, which a terminal must not obey.
    for (const message of messages) console.error(printable(message));
    for (const logged of log) console.log(logged);
  });
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
    child.once("error", (error) => resolve(error.message));
  }).finally(remove);
  endWithParent(child);
  const stop = () => stopChild(child, ended);
  try {
    if (child.pid !== undefined) await started(child.pid);
  } catch (error) {
    await stop();
    throw error;
  }
  const port = await Promise.race([listening(control), ended]);
  if (typeof port !== "object")
    throw new Failure(
      `the gateway did not start (${port}); the lines above say why`,
    );
  // It has read them: nothing is left behind where this process is killed.
  await remove();
  return {
    ...port,
    pid: child.pid,
    signal: (name) => child.kill(name),
    ended,
    stop,
  };
}

/** The port, once it listens. */
async function listening(control) {
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
