// The command line: finds the command, reads its options, and turns a failure into one line and an
// exit code.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Failure, UsageFailure } from "./failure.js";
import { nearest } from "./nearest.js";

/**
 * A command, as a module of `commands/` exports it.
 *
 * @typedef {object} Command
 * @property {string} summary one line for the list of commands
 * @property {string} help the text that `--help` prints after the summary
 * @property {import("node:util").ParseArgsConfig["options"]} options
 * @property {(values: Record<string, any>) => Promise<number | void>} run resolves to the exit
 *   code, 0 if it is not a number
 */

/** The commands, in the order in which a team needs them. */
const COMMANDS = [
  "dev",
  "init",
  "doctor",
  "check",
  "bucket-cors",
  "token",
  "deploy",
  "serve",
];

const HELP = { help: { type: /** @type {const} */ ("boolean"), short: "h" } };

/**
 * Runs the command line. A failure becomes one line and an exit code; a defect is thrown.
 *
 * @param {string[]} args without the program and the script
 * @returns {Promise<number>} the exit code: 0 for success, 1 for a failure whose message says how
 *   to fix it, 2 for a wrong command line
 */
export async function main(args) {
  try {
    return await dispatch(args);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`error: ${error.message}`);
    return error.exitCode;
  }
}

async function dispatch(args) {
  const [name, ...rest] = withoutHelpWord(args);
  if (name === undefined || name === "-h" || name === "--help")
    return printCommands();
  if (name === "-V" || name === "--version") return print(await readVersion());
  if (!COMMANDS.includes(name))
    throw new UsageFailure(
      `there is no command ${JSON.stringify(name)}` +
        `${didYouMean(nearest(name, [...COMMANDS, "help"]))}; there are ${COMMANDS.join(", ")}`,
    );
  const command = await load(name);
  const values = parse(name, command, rest);
  if (values.help) return print(helpOf(name, command));
  const code = await command.run(values);
  return typeof code === "number" ? code : 0;
}

/** Turns `help`, `help dev` and `dev help` into options. */
function withoutHelpWord([name, ...rest]) {
  if (name !== "help")
    return rest[0] === "help" ? [name, "--help"] : [name, ...rest];
  return rest[0] === undefined || rest[0].startsWith("-")
    ? ["--help"]
    : [rest[0], "--help"];
}

const didYouMean = (word) =>
  word === undefined ? "" : ` (did you mean ${word}?)`;

/** @returns {Promise<Command>} */
const load = (name) => import(`./commands/${name}.js`);

/** @returns {Record<string, any>} */
function parse(name, { options }, args) {
  const known = { ...options, ...HELP };
  try {
    return parseArgs({ args, options: known }).values;
  } catch (error) {
    const { code, message } = /** @type {Error & { code?: string }} */ (error);
    const problem =
      code === "ERR_PARSE_ARGS_UNKNOWN_OPTION"
        ? unknownOption(message, Object.keys(known))
        : message;
    throw new UsageFailure(
      `${problem}; \`mediagate-gateway ${name} --help\` lists the options`,
    );
  }
}

/** Replaces Node's message, whose advice is about positional arguments: no command takes any. */
function unknownOption(message, known) {
  const [, option] = /'(-[^']*)'/.exec(message) ?? [];
  if (option === undefined) return message;
  const near = nearest(option.replace(/^-+/, ""), known);
  return `there is no option ${option}${didYouMean(near && `--${near}`)}`;
}

async function printCommands() {
  const commands = await Promise.all(
    COMMANDS.map(
      async (command) =>
        `  ${command.padEnd(13)}${(await load(command)).summary}`,
    ),
  );
  return print(`The Mediagate gateway: between your pages and the media service, with the API key.

Usage: mediagate-gateway <command> [options]

${commands.join("\n")}

\`mediagate-gateway help <command>\` describes one of them.
docs/media-service.md of this package says which media services fit, and how to use one.`);
}

const helpOf = (name, { summary, help }) => `${summary}.

Usage: mediagate-gateway ${name} [options]

${help.trim()}`;

async function readVersion() {
  const text = await readFile(
    new URL("../package.json", import.meta.url),
    "utf8",
  );
  return `mediagate-gateway ${JSON.parse(text).version}`;
}

function print(text) {
  console.log(text);
  return 0;
}
