// Asks the person at the terminal, if there is one.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Interruption } from "./failure.js";

export const isTerminal = () => Boolean(process.stdin.isTTY);

/**
 * @param {string} question
 * @param {AbortSignal} [signal] ends the wait for the line
 * @throws {Interruption} if the person or the signal ends the program, or the terminal is gone
 */
export const promptLine = (question, signal) =>
  lineOf(
    createInterface({ input: process.stdin, output: process.stderr }),
    question,
    signal,
  );

/**
 * Reads a line that a person types, without showing it.
 *
 * @throws {Interruption} if the person ends the program, or the terminal is gone
 */
export async function promptSecret(question) {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output,
    terminal: true,
  });
  // Shown only now that the terminal hides the input: a person may type as soon as the question
  // appears.
  process.stderr.write(question);
  try {
    return await lineOf(terminal, "");
  } finally {
    process.stderr.write("\n");
  }
}

async function lineOf(terminal, question, signal) {
  // At the end of the input, `question` never settles.
  const closed = new Promise((_, reject) =>
    terminal.once("close", () => reject(new Interruption())),
  );
  try {
    const line = terminal.question(question, { signal });
    return (await Promise.race([line, closed])).trim();
  } catch {
    throw new Interruption();
  } finally {
    terminal.close();
  }
}
