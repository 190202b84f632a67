// Finds the operator's own lines in messages about a bundled module.
import { SourceMap } from "node:module";
import { MODULE } from "./config.js";

const LOCATION = new RegExp(
  `\\b${MODULE.replace(".", "\\.")}:(\\d+):(\\d+)`,
  "g",
);

/**
 * Returns a function that replaces each location in the bundle by the location in its source.
 *
 * @param {{ map: string } | undefined} module
 * @returns {(line: string) => string}
 */
export function createLocator(module) {
  if (!module) return (line) => line;
  const map = new SourceMap(JSON.parse(module.map));
  return (text) =>
    text.replace(LOCATION, (location, line, column) => {
      const found = map.findEntry(Number(line) - 1, Number(column) - 1);
      return "originalSource" in found
        ? `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`
        : location;
    });
}
