// The paths of this package's files.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the built files. */
export const DIST = fileURLToPath(new URL("../dist", import.meta.url));

/**
 * Reads the text of a file that `init` writes.
 *
 * @param {string} name in `templates`
 */
export const readTemplate = (name) =>
  readFile(new URL(`../templates/${name}`, import.meta.url), "utf8");

/** @param {string} name of a JSON file in `dist` */
export const distJson = async (name) =>
  JSON.parse(await readFile(join(DIST, name), "utf8"));
