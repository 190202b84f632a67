// Returns the text of a file that `init` writes.
import { readFile } from "node:fs/promises";

/** @param {string} name in `templates` */
export const template = (name) =>
  readFile(new URL(`../../templates/${name}`, import.meta.url), "utf8");
