// Starts the emulator in its own process.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SETTINGS } from "./gateway.mjs";

/** The secret of the bucket for results of every emulator of a test. */
const RESULTS_SECRET = "emulator-results-secret-of-the-tests";

const built = fileURLToPath(
  new URL("../../target/debug/mediagate-emulator", import.meta.url),
);

/**
 * Starts an emulator that accepts the gateway's API key.
 *
 * @param {string[]} flags further command-line arguments
 * @param {number} port the port that it listens on; 0 is any free port
 * @returns {Promise<{
 *   url: string, admin: string, resultsSecret: string, stop: () => Promise<void>
 * }>}
 */
export async function startEmulator(flags = [], port = 0) {
  const binary = process.env.MEDIAGATE_EMULATOR ?? built;
  if (!existsSync(binary))
    throw new Error(
      "the emulator is not built: run `cargo build -p mediagate-emulator`",
    );
  const env = {
    ...process.env,
    MEDIAGATE_EMULATOR_API_KEY: SETTINGS.UPSTREAM_API_KEY,
    MEDIAGATE_EMULATOR_RESULTS_SECRET: RESULTS_SECRET,
  };
  const child = spawn(binary, ["--listen", `127.0.0.1:${port}`, ...flags], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  // The emulator ends also if the tests end without `stop`.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  const [url, admin] = await Promise.race([
    firstUrls(child.stdout),
    ended.then((code) => failed(code)),
  ]);
  return { url, admin, resultsSecret: RESULTS_SECRET, stop };
}

/**
 * Resolves to the first two URLs in the emulator's output: its own, once it listens, and its admin
 * interface's.
 */
async function firstUrls(output) {
  const urls = [];
  for await (const line of createInterface({ input: output })) {
    urls.push(...(/https?:\/\/[^\s"]+/.exec(line) ?? []));
    if (urls.length < 2) continue;
    output.resume();
    return urls;
  }
  return new Promise(() => {});
}

function failed(code) {
  throw new Error(
    `the emulator ended with ${code} before it listened; its message is above`,
  );
}
