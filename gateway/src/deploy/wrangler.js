// wrangler, as the project in the current folder has installed it.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Failure } from "../failure.js";

async function findScript() {
  const require = createRequire(join(process.cwd(), "package.json"));
  try {
    const manifest = require.resolve("wrangler/package.json");
    const { bin } = JSON.parse(await readFile(manifest, "utf8"));
    return join(dirname(manifest), bin.wrangler);
  } catch {
    throw new Failure(
      "wrangler is not installed in this project; " +
        "install it with `npm install --save-dev wrangler`",
    );
  }
}

/**
 * Runs wrangler with the terminal of this process.
 *
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function wrangler(args) {
  return waitForEnd(await start(args, "inherit"));
}

/**
 * @param {string[]} args
 * @param {string} [input]
 * @returns {Promise<{ code: number, out: string, err: string }>}
 */
export async function wranglerOutput(args, input = "") {
  const child = await start(args, "pipe");
  const output = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (output.out += chunk));
  child.stderr.on("data", (chunk) => (output.err += chunk));
  child.stdin.end(input);
  return { code: await waitForEnd(child), ...output };
}

const start = async (args, stdio) =>
  spawn(process.execPath, [await findScript(), ...args], { stdio });

const waitForEnd = (child) =>
  /** @type {Promise<number>} */ (
    new Promise((resolve, reject) => {
      child.once("close", (code) => resolve(code ?? 1));
      child.once("error", (error) =>
        reject(new Failure(`wrangler can't be started: ${error.message}`)),
      );
    })
  );
