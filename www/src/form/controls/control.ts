import type { Issue } from "mediagate";
import type { Field } from "../../catalogue";
import type { Chosen } from "../../results/reference";

export interface ControlProps {
  field: Field;
  /** The id of the control, or the beginning of the ids inside it. */
  id: string;
  value: unknown;
  set(value: unknown): void;
  issues: readonly Issue[];
  /** The values to offer. Others may be valid, too. */
  offered: readonly unknown[];
  /** Returns a text to show beside an offered value; empty for none. */
  noteOf?: ((value: string) => string) | undefined;
  /** The chosen file or result that this field refers to, such as the picture of a region. */
  source?: Chosen | undefined;
  describedBy: string;
}

export function inputAttributes({
  field,
  id,
  issues,
  describedBy,
}: ControlProps) {
  return {
    id,
    name: field.name,
    "aria-describedby": describedBy,
    "aria-invalid": issues.length > 0,
  };
}

/** Returns true if there is an issue with exactly this part of a field, such as `region.width`. */
export function invalidAt(issues: readonly Issue[], path: string): boolean {
  return issues.some((issue) => issue.path === path);
}

/** Returns the number in an input; `undefined` if the input is blank. */
export function numberIn(input: HTMLInputElement): number | undefined {
  // The validator refuses NaN, so a text such as "1-" is marked and not taken for a blank.
  if (input.validity.badInput) return Number.NaN;
  return input.value === "" ? undefined : input.valueAsNumber;
}
