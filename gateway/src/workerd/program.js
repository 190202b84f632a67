// workerd's program, and the environment that it gets.
import { createRequire } from "node:module";

/** The binary that npm has installed for this platform. */
export const program = () => createRequire(import.meta.url)("workerd").default;

/** What a program needs to run at all; the environment of the caller may have secrets that are not the gateway's. */
export function systemVariables() {
  const names = [
    "PATH",
    "HOME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SystemRoot",
    "TZ",
    "LANG",
  ];
  return Object.fromEntries(
    names.flatMap((it) =>
      process.env[it] === undefined ? [] : [[it, process.env[it]]],
    ),
  );
}
