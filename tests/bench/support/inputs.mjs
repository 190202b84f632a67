// Requests made from the catalogue's own examples.
import { readFileSync } from "node:fs";

const { capabilities } = JSON.parse(readFileSync(new URL("../../../pkg/dist/catalogue.json", import.meta.url)));

/** The name of every capability with a request that has all of its fields. */
export const EXAMPLES = Object.fromEntries(
  capabilities.map(({ name, fields }) => [name, Object.fromEntries(fields.map((it) => [it.name, it.example]))]),
);

/** The capability whose request has the most fields. */
export const LARGEST = Object.keys(EXAMPLES).reduce((a, b) => (size(EXAMPLES[b]) > size(EXAMPLES[a]) ? b : a));

/** A request whose list has so many items. */
export const pdfs = (count) => ({ input_file_ids: Array.from({ length: count }, (_, index) => `file-${index}`) });

function size(input) {
  return Object.keys(input).length;
}
