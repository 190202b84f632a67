// The emulator of the media service: a program that npm installs with a package for this platform.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { startChild } from "../child.js";
import { Failure } from "../failure.js";
import { loadOperator } from "../operator.js";
import { newSecret } from "../secrets.js";

const VARIABLE = "MEDIAGATE_EMULATOR";

const packageOf = (platform, arch) => `mediagate-emulator-${platform}-${arch}`;

/** @throws {Failure} if npm has installed none */
function findProgram() {
  const named = process.env[VARIABLE];
  if (named) return named;
  const { platform, arch } = process;
  const name = packageOf(platform, arch);
  const file = `${name}/bin/mediagate-emulator${platform === "win32" ? ".exe" : ""}`;
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    throw new Failure(
      `the emulator is not installed for ${platform} ${arch}: install ${name} beside this package, ` +
        `name its program in ${VARIABLE}, or use the real media service with --upstream`,
    );
  }
}

/**
 * @typedef {object} Emulator
 * @property {string} url
 * @property {string} admin the URL of its admin interface
 * @property {string} resultsSecret the secret of its bucket for results, which differs each time
 * @property {Promise<number | string>} ended resolves to the exit code, the signal, or the reason
 *   why it did not start
 * @property {() => Promise<void>} stop
 */

/**
 * @param {{ apiKey: string, args: string[] }} options `args` are the program's arguments, which its
 *   `--help` lists
 * @returns {Promise<Emulator>}
 */
export async function startEmulator({ apiKey, args }) {
  const resultsSecret = newSecret();
  const { child, ended } = startChild(findProgram(), args, {
    // The secrets are in the environment, because every user of the machine can read a command
    // line.
    env: {
      ...withoutSettings((await loadOperator()).settingNames()),
      MEDIAGATE_EMULATOR_API_KEY: apiKey,
      MEDIAGATE_EMULATOR_RESULTS_SECRET: resultsSecret,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  const urls = await Promise.race([firstUrls(child.stdout), ended]);
  if (!Array.isArray(urls))
    throw new Failure(
      `the emulator did not start (${urls}); the lines above say why`,
    );
  const [url, admin] = urls;
  return { url, admin, resultsSecret, ended, stop };
}

/** Returns the environment without the gateway's settings, such as the real key. */
const withoutSettings = (names) =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !names.includes(name)),
  );

/**
 * Resolves to the URLs in the emulator's first lines: its own, once it listens, and its admin
 * interface's. Prints its warnings and errors.
 *
 * @param {import("node:stream").Readable | null} output a pipe
 */
function firstUrls(output) {
  return new Promise((resolve) => {
    const urls = [];
    createInterface({ input: /** @type {any} */ (output) }).on(
      "line",
      (line) => {
        const { level, message, url } = JSON.parse(line);
        if (level !== "INFO") console.error(`the emulator: ${message}`);
        if (url && urls.push(url) === 2) resolve(urls);
      },
    );
  });
}
