import type { Issue } from "../types/issues.js";
import type { Model, OfferedModel } from "../types/models.js";
import { type FormField, inputValue } from "./fields.js";
import { doubt, error } from "./issue.js";

const FILES: Record<string, string> = {
  image: "images",
  video: "videos",
  audio: "sounds",
};

/** The kinds of fields whose values are chosen. Free texts and ids are not. */
const CHOICES = ["integer", "number", "boolean"];

/**
 * Compares an input with the values and the references that its model takes. Missing information
 * causes no issue, and the documented default always passes. The gateway has the same rules
 * (`not_offered`, `reference_media`), and accepts more notations of fields and values.
 *
 * @param fields - The fields of the capability, from `mediagate/catalogue.json`.
 * @param model - The model that the input names: one of `media.models()` or `media.capabilities()`.
 * A model of `media.capabilities()` lists no references.
 */
export function checkModel(
  fields: readonly FormField[],
  input: object,
  model: Model | OfferedModel,
): Issue[] {
  const media = referenceMedia(model);
  return fields.flatMap((field) => {
    const value = inputValue(input, field);
    if (isBlank(value)) return [];
    if (field.kind === "files" && field.media && media)
      return media.includes(field.media) ? [] : [refusal(field, media)];
    return isChoice(field) && isSame(field.default, value) !== true
      ? checkChoice(field, value, model)
      : [];
  });
}

function checkChoice(
  field: FormField,
  value: unknown,
  model: Model | OfferedModel,
): Issue[] {
  // The models of `capabilities()` have `values` instead.
  const options = (model as Model).generation_options ?? model.values;
  const taken = (options as Record<string, unknown> | undefined)?.[field.name];
  if (!Array.isArray(taken) || taken.length === 0) return [];
  // A value that cannot be compared with a listed one may be another notation of it.
  const isTaken = taken.some((listed) => isSame(listed, value) !== false);
  return isTaken ? [] : [outside(field, taken)];
}

function isChoice({ kind, required }: FormField): boolean {
  return CHOICES.includes(kind) || (kind === "text" && !required);
}

/** Compares a listed value with another; `undefined` if they can't be compared. */
function isSame(listed: unknown, value: unknown): boolean | undefined {
  const [one, other] = [plain(listed), plain(value)];
  return typeof one === typeof other ? one === other : undefined;
}

/** Returns the number in a text, since numbers may be listed as texts; any other value itself. */
function plain(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  return text === "" || Number.isNaN(Number(text)) ? text : Number(text);
}

function outside({ name, kind }: FormField, taken: readonly unknown[]): Issue {
  // A model lists all numbers that it takes, but not all notations of a word.
  if (kind !== "integer" && kind !== "number")
    return doubt(name, "not_offered", `is none of ${taken.join(", ")}`);
  const range = rangeOf(taken.map(Number));
  return error(name, "not_offered", `must be ${range} for this model`);
}

function rangeOf(numbers: readonly number[]): string {
  const [first = 0] = numbers;
  const last = first + numbers.length - 1;
  const isWhole = numbers.every((number, index) => number === first + index);
  return isWhole && numbers.length > 2
    ? `a whole number from ${first} to ${last}`
    : `one of ${numbers.join(", ")}`;
}

function refusal({ name }: FormField, media: readonly string[]): Issue {
  const words = media.map((medium) => FILES[medium]).join(", ");
  return error(
    name,
    "reference_media",
    `does not suit this model, which takes ${words}`,
  );
}

/** Returns the kinds of references that a model takes; `undefined` if they cannot be read. */
function referenceMedia(model: Model | OfferedModel): string[] | undefined {
  const { references } = model as Model;
  const { media } = (references ?? {}) as { media?: unknown };
  if (!Array.isArray(media)) return undefined;
  const names = media.map((name) => `${name}`.toLowerCase().replace(/s$/, ""));
  return names.length > 0 && names.every((name) => name in FILES)
    ? names
    : undefined;
}

function isBlank(value: unknown): boolean {
  return (
    value == null ||
    value === "" ||
    Number.isNaN(value) ||
    (Array.isArray(value) && value.length === 0)
  );
}
