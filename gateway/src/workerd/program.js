// workerd's program and its environment.
import { createRequire } from "node:module";

/** Returns the path of the binary that npm has installed for this platform. */
export const findProgram = () =>
  createRequire(import.meta.url)("workerd").default;

/**
 * Returns the variables that a program needs to run at all. Others of the environment may be
 * secrets that are not the gateway's.
 */
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
    names.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
}
