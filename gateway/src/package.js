// The paths of this package's files.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const DIST = fileURLToPath(new URL("../dist", import.meta.url));

/** @param {string} name in `templates` */
export const readTemplate = (name) =>
  readFile(new URL(`../templates/${name}`, import.meta.url), "utf8");

/** @param {string} name of a JSON file in `dist` */
export const distJson = async (name) =>
  JSON.parse(await readFile(join(DIST, name), "utf8"));
