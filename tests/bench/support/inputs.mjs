// Makes inputs from the catalogue's own examples.
import { readFileSync } from "node:fs";

const { capabilities } = JSON.parse(
  readFileSync(
    new URL("../../../pkg/dist/catalogue.json", import.meta.url),
    "utf8",
  ),
);

export const EXAMPLES = Object.fromEntries(
  capabilities.map(({ name, fields }) => [
    name,
    Object.fromEntries(fields.map((field) => [field.name, field.example])),
  ]),
);

export const CAPABILITY_WITH_MOST_FIELDS = Object.keys(EXAMPLES).reduce(
  (a, b) => (size(EXAMPLES[b]) > size(EXAMPLES[a]) ? b : a),
);

function size(input) {
  return Object.keys(input).length;
}
