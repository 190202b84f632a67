// workerd's process: started with a configuration, stopped within a limited time.
import { spawn } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Failure } from "../failure.js";
import { DIST } from "../package.js";
import { printable } from "../printable.js";
import { configuration } from "./config.js";

const MODULES = ["front.js", "files.js", "index.js", "index_bg.wasm"];
/** Milliseconds that requests have to end once a stop is requested; an open stream would otherwise hold it for minutes. */
const GRACE_MS = 5_000;

/**
 * Starts the gateway. Its log goes to the standard output, one line for each request.
 *
 * @param {import("./config.js").Server} server
 * @param {Record<string, string>} values of the settings: workerd's environment
 * @param {(pid: number) => Promise<void>} started is called with its process's id, before it serves
 * @returns {Promise<{ port: number, pid: number, ended: Promise<number | string>, stop: () => Promise<void> }>} `ended`
 *   resolves to the exit code or the signal's name
 */
export async function startWorkerd(server, values, started) {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-"));
  // Here, since the configuration can only embed what is beside it.
  await Promise.all(MODULES.map((it) => cp(join(DIST, "worker", it), join(folder, it))));
  const file = join(folder, "config.capnp");
  await writeFile(file, configuration(server));
  const child = spawn(program(), ["serve", "--experimental", "--control-fd=3", file], {
    env: { ...systemVariables(), ...values },
    stdio: ["ignore", "inherit", "pipe", "pipe"],
  });
  // It repeats what a caller has sent, which a terminal must not obey.
  createInterface({ input: child.stderr }).on("line", (line) => console.error(printable(line)));
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
    child.once("error", (error) => resolve(error.message));
  }).finally(() => rm(folder, { recursive: true, force: true }));
  const stop = () => stopChild(child, ended);
  try {
    if (child.pid !== undefined) await started(child.pid);
  } catch (error) {
    await stop();
    throw error;
  }
  const port = await Promise.race([listening(child.stdio[3]), ended]);
  if (typeof port !== "object") throw new Failure(`the gateway did not start (${port}); the lines above say why`);
  return { ...port, pid: child.pid, ended, stop };
}

/** The binary that npm has installed for this platform. */
const program = () => createRequire(import.meta.url)("workerd").default;

/** What a program needs to run at all; the environment of the caller may have secrets that are not the gateway's. */
function systemVariables() {
  const names = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot", "TZ", "LANG"];
  return Object.fromEntries(names.flatMap((it) => (process.env[it] === undefined ? [] : [[it, process.env[it]]])));
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
