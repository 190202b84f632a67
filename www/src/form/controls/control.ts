/** The props of every control. */
import type { Issue } from "mediagate";
import type { Field } from "../../catalogue";
import type { Chosen } from "../../results/reference";

export interface ControlProps {
  field: Field;
  /** The id of the control, or the beginning of the ids inside it. */
  id: string;
  value: unknown;
  set(value: unknown): void;
  /** The issues of this field, at any depth. */
  issues: readonly Issue[];
  /** Values to offer; others may be valid too. */
  offered: readonly unknown[];
  /** A text beside an offered value; nothing if it is missing or empty. */
  noteOf?: ((value: string) => string) | undefined;
  /** The chosen file or result that this field refers to, such as the picture of a region. */
  source?: Chosen | undefined;
  /** The ids of the texts that describe the control. */
  describedBy: string;
}

/** Whether there is an issue with exactly this part of a field, such as `region.width`. */
export function invalidAt(issues: readonly Issue[], path: string): boolean {
  return issues.some((it) => it.path === path);
}

/** The value of a number input: `undefined` if it is blank, NaN, which no field accepts, if it is not a number. */
export function numberIn(input: HTMLInputElement): number | undefined {
  if (input.validity.badInput) return Number.NaN;
  return input.value === "" ? undefined : input.valueAsNumber;
}
