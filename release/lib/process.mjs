import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The largest output of a program that is read. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program to its end.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} its standard output
 * @throws {Error} when it fails; with what it printed
 */
export async function run(program, args, options = {}) {
  try {
    const { stdout } = await execute(program, args, { ...options, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { message, stdout = "", stderr = "" } = /** @type {Error & { stdout?: string, stderr?: string }} */ (error);
    const printed = `${stderr}${stdout}`.trim();
    throw new Error(`\`${program} ${args.join(" ")}\` failed: ${printed || message}`, { cause: error });
  }
}

/**
 * Runs a command of this folder: an error is one line for each problem, without a stack.
 *
 * @param {() => Promise<void>} main
 */
export async function command(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
