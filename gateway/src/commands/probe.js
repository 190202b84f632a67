// `mediagate-gateway probe`: tries what the media service's documentation does not say.
import { open, rm } from "node:fs/promises";
import { Failure, Interruption, UsageFailure } from "../failure.js";
import { requireText } from "../files.js";
import { callWasm, loadOperator } from "../operator.js";
import { runProbe } from "../probe/run.js";
import { isTerminal, promptLine, promptSecret } from "../terminal.js";

export const summary =
  "Try what the media service's documentation does not say, and write it down as settings";

export const help = `
The documentation of the media service does not say all that the gateway needs: how a file is
uploaded, where a response has a task's state, which words it uses. The probe tries that. It sends
requests that cost nothing, uploads one small picture, and creates up to two tasks, which may cost
credits, only if you consent to each. It shows each request (→) and response (←), then what it has
found and what is still unknown, and writes the settings into a file whose first lines say where to
put them. The exit code is 0 only if the gateway works with these settings. The API key comes from
the environment (UPSTREAM_API_KEY), or you type it, unseen; it is never shown.

Options:
  --base-url URL          the address of the media service
                          [default: UPSTREAM_BASE_URL, or that of --known]
  --output FILE           the new file for the findings [default: found-dialect.toml]
  --known FILE            a file that an earlier run has written, with your additions
  --create CAPABILITY     consent to one task of text_to_image_turbo or background_removal without a
                          question; repeat it for both
  --quiet                 show the result only, not each request and response
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  "base-url": { type: "string" },
  output: { type: "string", default: "found-dialect.toml" },
  known: { type: "string" },
  create: { type: "string", multiple: true, default: [] },
  quiet: { type: "boolean", default: false },
};

export async function run(values) {
  const { Probe, checkKey, created, knownAddress, shownResponse } =
    await loadOperator();
  const wrong = values.create.find(
    (capability) => !created().includes(capability),
  );
  if (wrong)
    throw new UsageFailure(
      `--create is ${JSON.stringify(wrong)}; it is ${created().join(" or ")}`,
    );
  const known =
    values.known === undefined ? undefined : await requireText(values.known);
  const address =
    values["base-url"] ??
    process.env.UPSTREAM_BASE_URL ??
    (known && callWasm(() => knownAddress(known)));
  if (!address)
    throw new UsageFailure("there is no address; give one with --base-url");
  const probe = callWasm(() => new Probe(address, known));
  const key = await readKey();
  callWasm(() => checkKey(key));
  const file = await makeNew(values.output);
  const done = await runProbe(probe, shownResponse, key, person(values));
  const place = await write(file, values.output, done);
  for (const line of probe.summary(...place)) console.log(line);
  return done.is_enough ? 0 : 1;
}

/** Reads the key from the environment or the terminal. Shells would store an argument. */
async function readKey() {
  if (process.env.UPSTREAM_API_KEY) return process.env.UPSTREAM_API_KEY;
  if (!isTerminal())
    throw new Failure(
      "there is no API key: set UPSTREAM_API_KEY in the environment, " +
        "or run it in a terminal, where it is read unseen",
    );
  return promptSecret("The media service's API key (not shown): ");
}

/** Makes the file for the findings, before any request that costs credits is sent. */
async function makeNew(name) {
  return open(name, "wx").catch((error) => {
    throw new Failure(
      `${name} can't be made (${error.code}); give another file with --output`,
    );
  });
}

/** Writes the findings. Returns the path, and the text if it could not be written there. */
async function write(file, name, { file: text, is_needed }) {
  const isWritten = await file.writeFile(text).then(
    () => true,
    () => false,
  );
  await file.close();
  // The findings may have cost credits, so a text that could not be written is printed.
  if (is_needed) return isWritten ? [name] : [name, text];
  // A file without findings would only make the next run refuse this path.
  await rm(name);
  return [];
}

/** @returns {import("../probe/run.js").Person} */
function person({ create, quiet }) {
  const interrupted = new AbortController();
  // A second signal ends the program.
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      interrupted.abort();
      console.error("\nInterrupted: what was found so far is written.");
    });
  return {
    show: (lines) => quiet || console.log(lines),
    consents: async (capability) => {
      try {
        return await consents(capability, create, interrupted.signal);
      } catch (error) {
        if (!(error instanceof Interruption)) throw error;
        interrupted.abort();
        return false;
      }
    },
    interrupted: interrupted.signal,
  };
}

async function consents(capability, consented, signal) {
  if (consented.includes(capability)) return true;
  if (!isTerminal()) {
    console.log(
      `No task of ${capability} is created. ` +
        `To allow one, which may cost credits, pass \`--create ${capability}\`.\n`,
    );
    return false;
  }
  const line = await promptLine(
    `May one task of ${capability} be created? The media service may charge credits for it. ` +
      "Without it, the probe can't see how such a task's state and result are written. [y/N] ",
    signal,
  );
  const isYes = /^y(es)?$/i.test(line);
  if (!isYes) console.log(`No task of ${capability} is created.\n`);
  return isYes;
}
