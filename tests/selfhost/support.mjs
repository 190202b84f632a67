// Runs the command `mediagate-gateway` in its own process and folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { taskResponse } from "../support/world.mjs";

export const COMMAND = fileURLToPath(
  new URL("../../gateway/bin/mediagate-gateway.js", import.meta.url),
);
/** The emulator of the checkout, built by `cargo build`. */
export const BUILT_EMULATOR = fileURLToPath(
  new URL("../../target/debug/mediagate-emulator", import.meta.url),
);
/**
 * Milliseconds that the command has to print a text that a test waits for, also on a busy machine.
 */
const TIMEOUT_MS = 180_000;

/**
 * Starts the command.
 *
 * @param {{ after: (end: () => Promise<unknown>) => void }} t
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string>, script?: string }} options `script` is that
 *   of another installation
 */
export function command(t, args, { cwd, env = {}, script = COMMAND }) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: {
      ...process.env,
      MEDIAGATE_EMULATOR: process.env.MEDIAGATE_EMULATOR ?? BUILT_EMULATOR,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = printedBy(child);
  const ended = new Promise((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal)),
  );
  const stop = (signal = /** @type {NodeJS.Signals} */ ("SIGTERM")) => {
    child.kill(signal);
    return ended;
  };
  t.after(() => stop());
  return {
    child,
    printed,
    ended,
    stop,
    prints: (pattern) => prints(printed, pattern, ended),
  };
}

/** Returns the output of a process, which grows with every line. */
export function printedBy(child) {
  const printed = { out: "", err: "" };
  const collect = (name, input) =>
    createInterface({ input }).on(
      "line",
      (line) => (printed[name] += `${line}\n`),
    );
  collect("out", child.stdout);
  collect("err", child.stderr);
  return printed;
}

/** Waits until the standard error matches the pattern, and resolves to the match. */
export async function prints(printed, pattern, ended) {
  const state = { isOver: false };
  void ended.then(() => (state.isOver = true));
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await sleep(20)) {
    const match = pattern.exec(printed.err);
    if (match) return match;
    if (state.isOver) break;
  }
  throw new Error(
    `it has not printed ${pattern}, but:\n${printed.err}${printed.out}`,
  );
}

/** Runs the command to its end. */
export async function run(t, args, options) {
  const started = command(t, args, options);
  return { code: await started.ended, ...started.printed };
}

/** Starts `serve` on a free port, before an upstream on this machine. */
export async function serve(t, upstream, { cwd, settings = {}, args = [] }) {
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream, ...settings };
  const started = command(
    t,
    ["serve", "--port", "0", "--private-upstream", ...args],
    { cwd, env },
  );
  const [, url] = await started.prints(/the gateway serves (\S+);/);
  return { ...started, url };
}

/**
 * Starts `serve` as systemd does, with a socket that listens already. `stop` resolves to the exit
 * code and the signal.
 *
 * @param {{ after: (end: () => Promise<unknown>) => void }} t
 * @param {string} upstream
 * @param {{ cwd: string, fd: number, settings?: Record<string, string>, args?: string[] }} options
 */
export async function serveActivated(
  t,
  upstream,
  { cwd, fd, settings = {}, args = [] },
) {
  const serveArgs = [COMMAND, "serve", "--private-upstream", ...args];
  const child = spawn(
    "sh",
    [
      ...["-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"'],
      ...[process.execPath, ...serveArgs],
    ],
    {
      cwd,
      env: {
        ...process.env,
        ...SETTINGS,
        UPSTREAM_BASE_URL: upstream,
        ...settings,
      },
      stdio: ["ignore", "pipe", "pipe", fd],
    },
  );
  const ended = once(child, "exit");
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  t.after(stop);
  await prints(printedBy(child), /the gateway serves (\S+);/, ended);
  return { stop };
}

/**
 * Starts `serve` before an upstream of its own, by default in a new folder.
 *
 * @param {{ after: (end: () => Promise<unknown>) => void }} t
 * @param {{ polls?: number, cwd?: string, settings?: Record<string, string>, args?: string[] }}
 *   [options] `polls` is the number of polls that the upstream's tasks take
 */
export async function served(t, { polls, cwd, ...options } = {}) {
  const at = cwd ?? (await folder(t));
  const upstream = await upstreamOf(t, polls);
  return {
    cwd: at,
    upstream,
    ...(await serve(t, upstream.url, { cwd: at, ...options })),
  };
}

/**
 * Waits until `/readyz` responds with this status, and resolves to the response. A check of the
 * disk counts for a second.
 */
export async function readyOnce(url, status) {
  for (;;) {
    const reply = await request(`${url}/readyz`);
    if (reply.status === status) return reply;
    await sleep(50);
  }
}

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";

/** Starts an upstream whose tasks take this many polls. `creates` counts. */
export async function upstreamOf(t, polls = 1) {
  const counted = { creates: 0, polls: 0 };
  const upstream = await startUpstream(({ method }) => {
    if (method === "POST") counted.creates += 1;
    else counted.polls += 1;
    const status =
      method === "POST" || counted.polls < polls ? "QUEUED" : "SUCCEEDED";
    return taskResponse(status);
  });
  t.after(() => upstream.stop());
  return { ...upstream, counted };
}

/** Sends a create with a key. */
export const create = (url, key = "a-key-of-this-test", options = {}) =>
  request(`${url}${CREATE}`, {
    body: { prompt: "p" },
    headers: { "idempotency-key": key },
    ...options,
  });

/** Resolves to the processes that use the folder of data. */
export async function processes(cwd) {
  const {
    pids: [, workerd],
  } = JSON.parse(
    await readFile(join(cwd, "mediagate-data/gateway.lock"), "utf8"),
  );
  return { workerd };
}
