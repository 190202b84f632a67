import type { Capability, Field, Kind } from "../catalogue";
import type { Values } from "../storage";
import { NEUTRAL, textOf } from "./volume";

const NEUTRAL_VALUES: { readonly [Of in Kind]?: unknown } = {
  volume: textOf(NEUTRAL),
};

export function defaults({ fields }: Capability): Values {
  const initial = fields.map((field): [string, unknown] => [
    field.name,
    initialOf(field),
  ]);
  return Object.fromEntries(initial.filter(([, value]) => value !== undefined));
}

function initialOf(field: Field): unknown {
  // A copy, since a form changes its values and the catalogue is shared.
  if (field.default !== null) return structuredClone(field.default);
  return field.required ? NEUTRAL_VALUES[field.kind] : undefined;
}
