/** The initial values of a form: what its controls show before a person changes them. */
import type { Capability, Field, Kind } from "../catalogue";
import type { Values } from "../storage";
import { NEUTRAL, textOf } from "./volume";

/** For a required field without a documented default: a control that always shows a value has it from the start. */
const NEUTRAL_VALUES: { readonly [It in Kind]?: unknown } = {
  volume: textOf(NEUTRAL),
};

export function defaults({ fields }: Capability): Values {
  const initial = fields.map((it): [string, unknown] => [
    it.name,
    initialOf(it),
  ]);
  return Object.fromEntries(initial.filter(([, it]) => it !== undefined));
}

function initialOf(field: Field): unknown {
  if (field.default !== null) return structuredClone(field.default);
  return field.required ? NEUTRAL_VALUES[field.kind] : undefined;
}
