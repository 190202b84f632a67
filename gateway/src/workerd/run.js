// workerd's process: started with a configuration, stopped within a limited time.
import { createInterface } from "node:readline";
import { startChild } from "../child.js";
import { Failure } from "../failure.js";
import { printable } from "../printable.js";
import { configuration } from "./config.js";
import { GATEWAY_FILES, prepareFolder } from "./folder.js";
import { createLocator } from "./locations.js";
import { createTranslator } from "./messages.js";
import { findProgram, systemVariables } from "./program.js";

/** The log's line of a health check. An open page of the playground sends one every 4 seconds. */
const HEALTH = /"operation":"health"/;
/** Milliseconds that the end of all streams may take before a stop. */
const STREAMS_MS = 1_000;

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
 * @param {Record<string, string>} values of the settings and of the module's variables: workerd's
 *   environment
 * @param {object} options
 * @param {import("./socket.js").Held} [options.socket] the socket to accept callers from, instead of
 *   the server's address
 * @param {import("./module.js").Module} [options.module] the upstream module
 * @param {number} options.drainMs milliseconds that requests have to finish after a stop
 * @param {(pid: number) => Promise<void>} options.started called with the process's id before it
 *   serves
 * @returns {Promise<Running>}
 */
export async function startWorkerd(
  server,
  values,
  { socket, module, drainMs, started },
) {
  const { file, remove } = await prepareFolder(
    configuration(server),
    GATEWAY_FILES,
    module,
  );
  const log = server.hidesHealth ? "pipe" : "inherit";
  const { child, ended: exited } = startChild(
    findProgram(),
    [
      ...["serve", "--experimental", "--control-fd=3"],
      ...(socket ? ["--socket-fd=http=4"] : []),
      file,
    ],
    {
      env: { ...systemVariables(), ...values },
      stdio: ["ignore", log, "pipe", "pipe", ...(socket ? [socket.fd] : [])],
    },
  );
  const [, stdout, stderr, control] =
    /** @type {import("node:stream").Readable[]} */ (child.stdio);
  if (server.hidesHealth)
    createInterface({ input: stdout }).on("line", (line) => {
      if (!HEALTH.test(line)) console.log(line);
    });
  const toPrint = createTranslator();
  const locate = createLocator(module);
  createInterface({ input: stderr }).on("line", (line) => {
    const printed = toPrint(line);
    // workerd repeats a caller's text, which a terminal must not obey.
    for (const message of printed.messages)
      console.error(printable(locate(message)));
    for (const logged of printed.log) console.log(logged);
  });
  const ended = exited.finally(remove);
  const kill = () => endChild(child, ended, drainMs);
  try {
    if (child.pid !== undefined) await started(child.pid);
  } catch (error) {
    await kill();
    throw error;
  }
  const listening = await Promise.race([waitUntilListening(control), ended]);
  if (typeof listening !== "object")
    throw new Failure(
      `the gateway did not start (${listening}); the lines above say why`,
    );
  // workerd has read the files by now. Removed at once, they are not left behind if this process is
  // killed.
  await remove();
  const port = socket?.port ?? listening.port;
  return {
    port,
    pid: /** @type {number} */ (child.pid),
    signal: (name) => child.kill(name),
    ended,
    stop: async () => {
      await endStreams(`http://${server.reachable}:${port}`, server.front);
      await kill();
    },
  };
}

export async function waitUntilListening(control) {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line);
    if (event === "listen") return { port };
  }
  return new Promise(() => {});
}

/**
 * Ends all streams of events, whose clients resume. They would delay a stop until its limit. A
 * failure is ignored: the stop then takes that long.
 */
const endStreams = (url, { readiness }) =>
  fetch(`${url}${readiness}/end-streams`, {
    method: "POST",
    signal: AbortSignal.timeout(STREAMS_MS),
  }).catch(() => undefined);

async function endChild(child, ended, drainMs) {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), drainMs);
  await ended;
  clearTimeout(timer);
}
