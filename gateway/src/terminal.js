// A person at a terminal, where there is one.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Whether a person can respond to a question. */
export const isTerminal = () => Boolean(process.stdin.isTTY);

/** A line that a person types. */
export async function promptLine(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

/** A line that a person types, which the terminal does not show. */
export async function promptSecret(question) {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write(question);
  try {
    return (await terminal.question("")).trim();
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
