import { readFile } from "node:fs/promises";

/**
 * Reads the text of a file that `init` writes.
 *
 * @param {string} name in `templates`
 */
export const readTemplate = (name) =>
  readFile(new URL(`../../templates/${name}`, import.meta.url), "utf8");
