/** What every control is given. */
import type { Issue } from "mediagate";
import type { Field } from "../../catalogue";

export interface ControlProps {
  field: Field;
  /** The id of the control, or the beginning of the ids inside it. */
  id: string;
  value: unknown;
  set(value: unknown): void;
  /** What is wrong with this field, at any depth. */
  issues: readonly Issue[];
  /** The chosen file that this field is about, such as the picture of a region. */
  source?: File | undefined;
  /** The ids of the texts that describe the control. */
  described: string;
}

/** Whether something is wrong with exactly this part of a field, such as `region.width`. */
export function invalidAt(issues: readonly Issue[], path: string): boolean {
  return issues.some((it) => it.path === path);
}

/** What a number input holds; NaN, which no field accepts, for what is no number. */
export function numberIn(input: HTMLInputElement): number | undefined {
  if (input.validity.badInput) return Number.NaN;
  return input.value === "" ? undefined : input.valueAsNumber;
}
