import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the published programs for agents, with a lock file of its own. */
export const SUITE = fileURLToPath(new URL("../conformance/", import.meta.url));

/**
 * Returns the path of a Node from version 22 on, which the published programs need: this one if it
 * is new enough, or the one in their lock file.
 */
export function newerNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22)
    return process.execPath;
  const platform = process.platform.replace("win32", "win");
  const locked = `${SUITE}node_modules/node-${platform}-${process.arch}/bin/node`;
  if (!existsSync(locked))
    throw new Error(
      "the conformance suite needs Node 22: run the tests with it",
    );
  return locked;
}
