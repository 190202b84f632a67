// workerd's program and its environment.
import { createRequire } from "node:module";
import { Failure } from "../failure.js";
import { processReport } from "./report.js";

const GLIBC = [2, 35];

export const findProgram = () =>
  createRequire(import.meta.url)("workerd").default;

/**
 * Checks that workerd runs on this system, whose loader would otherwise fail without a remedy.
 *
 * @param {{ glibcVersionRuntime?: string }} system the version of glibc, if it is the C library
 * @param {NodeJS.Platform} platform
 * @throws {Failure} if it does not
 */
export function checkSystem(
  { glibcVersionRuntime: glibc } = processReport().header,
  platform = process.platform,
) {
  if (platform !== "linux") return;
  const [major = 0, minor = 0] = (glibc ?? "").split(".").map(Number);
  if (major > GLIBC[0] || (major === GLIBC[0] && minor >= GLIBC[1])) return;
  const found = glibc ? `glibc ${glibc}` : "another C library (as Alpine does)";
  throw new Failure(
    `workerd, which runs the gateway, needs glibc ${GLIBC.join(".")} or newer, and this system ` +
      `has ${found}; take Debian 12, Ubuntu 22.04 or newer, or an image such as node:24-bookworm-slim`,
  );
}

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
