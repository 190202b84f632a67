// Checks the settings before anything is started or written: all that are missing or wrong, with what each is for.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { Failure } from "../failure.js";
import { printable } from "../printable.js";
import { checkConfiguration } from "./config.js";
import { configured } from "./folder.js";
import { program, systemVariables } from "./program.js";

const KEY = "`openssl rand -hex 32` makes one";
/** What a setting is for, and how to get one. The others are rare, and their problem says what they should be. */
const PURPOSES = {
  UPSTREAM_BASE_URL: "the media service's address, such as https://api.example.com",
  UPSTREAM_API_KEY: "your key at the media service",
  SESSION_SECRET: `your backend signs session tokens with it, so it needs the same one; ${KEY}`,
  SEAL_SECRET: `it encrypts the ids that pages get; store it well, since with another one they become invalid; ${KEY}`,
  ALLOWED_ORIGINS: "the origins of your pages, such as https://www.example.com",
  WEBHOOK_SECRET:
    "it signs webhooks, and your backend checks them with it; `echo whsec_$(openssl rand -base64 32)` makes one",
};
/** In place of a value that is wrong: each setting accepts one of these. `undefined` is for one that may be left out. */
const STAND_INS = [
  "https://stand-in-of-32-bytes-or-more.invalid",
  "1",
  undefined,
  "upload",
  "relay",
  "https://stand-in-of-32-bytes-or-more.invalid/mcp",
  "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
];

/**
 * @param {Record<string, string>} settings
 * @param {string} place where a person sets them, in words
 * @throws {Failure} with every setting that is missing or wrong
 */
export async function checkSettings(settings, place) {
  const problems = await problemsFrom(await firstProblem(settings), settings);
  if (problems.length === 0) return;
  const count = problems.length === 1 ? "a setting is" : `${problems.length} settings are`;
  throw new Failure(`${count} missing or wrong:\n${problems.map(lineOf).join("\n")}\nSet ${place}.`);
}

/** The gateway's own words speak of Cloudflare, and a remedy that stands here is the better one. */
function lineOf({ setting, message }) {
  const purpose = PURPOSES[setting];
  const problem = message.replace(`the setting ${setting} `, "");
  const plain = purpose ? problem.replace(/^is missing;.*/, "is missing") : problem;
  return `  ${setting} ${plain}${purpose ? `: ${purpose}` : ""}`;
}

/**
 * The gateway names the first one; with a stand-in for that, the next.
 *
 * @typedef {{ setting: string, message: string }} Problem
 * @param {Problem | null} first
 * @returns {Promise<Problem[]>}
 */
async function problemsFrom(first, settings) {
  if (!first) return [];
  for (const value of STAND_INS) {
    const mended = { ...settings, [first.setting]: value };
    const next = await firstProblem(mended);
    if (next?.setting !== first.setting) return [first, ...(await problemsFrom(next, mended))];
  }
  return [first];
}

/** @returns {Promise<Problem | null>} */
async function firstProblem(settings) {
  const names = Object.keys(settings).filter((it) => settings[it] !== undefined);
  const { file, remove } = await configured(checkConfiguration(names));
  try {
    const child = spawn(program(), ["test", "--experimental", file], {
      env: { ...systemVariables(), ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const failed = new Promise((resolve) => child.once("error", (error) => resolve([error.message, ""])));
    const [err, out] = await Promise.race([Promise.all([text(child.stderr), text(child.stdout)]), failed]);
    const result = out.split("\n").find((it) => it.startsWith('{"problem":'));
    if (result === undefined) throw new Failure(`workerd can't be run here: ${printable(err.trim())}`);
    return JSON.parse(result).problem;
  } finally {
    await remove();
  }
}
