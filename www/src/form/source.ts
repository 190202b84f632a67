import { sourceField } from "mediagate/forms";
import type { Field } from "../catalogue";
import { type Chosen, isChosen } from "../results/reference";
import type { Values } from "../storage";

/** Returns the file or result that a field refers to; `undefined` until it is chosen. */
export function sourceOf(
  field: Field,
  fields: readonly Field[],
  values: Values,
): Chosen | undefined {
  const other = sourceField(field, fields);
  const chosen = other && values[other.name];
  return isChosen(chosen) ? chosen : undefined;
}
