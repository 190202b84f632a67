import type { FormField } from "./fields.js";
import { formatVolume, NEUTRAL_VOLUME } from "./volume.js";

/**
 * Returns the initial values of a form: the documented defaults, and for a required volume the
 * volume that leaves the sound as it is. They are copies, which the form may change.
 */
export function defaultValues(
  fields: readonly FormField[],
): Record<string, unknown> {
  const values = fields.map((field) => [field.name, defaultOf(field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function defaultOf(field: FormField): unknown {
  if (field.default !== null) return structuredClone(field.default);
  const isVolume = field.kind === "volume" && field.required;
  return isVolume ? formatVolume(NEUTRAL_VOLUME) : undefined;
}

/**
 * Returns the input for a form's values: without texts that are empty or only white space, empty
 * lists, and regions without an area. `NaN` stays, so that the validator refuses a number that was
 * not entered correctly.
 */
export function filledValues(
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => !isBlank(value)),
  );
}

/** Returns true for a region without pixels, which counts as blank in a form. */
export function isWithoutArea(region: unknown): boolean {
  const { width, height } = (region ?? {}) as Record<string, unknown>;
  return width === 0 || height === 0;
}

function isBlank(value: unknown): boolean {
  return (
    value === undefined ||
    (typeof value === "string" && value.trim() === "") ||
    (Array.isArray(value) && value.length === 0) ||
    isWithoutArea(value)
  );
}
