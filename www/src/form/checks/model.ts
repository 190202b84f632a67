/** Checks the values of a request against the catalogue's options of its model. */
import type { Issue, Model } from "mediagate";
import type { Field } from "../../catalogue";
import type { Values } from "../../storage";
import { doubt, error } from "./issue";

const FILES: Record<string, string> = {
  image: "images",
  video: "videos",
  audio: "sounds",
};

export function checkModel(
  fields: readonly Field[],
  values: Values,
  model: Model,
): Issue[] {
  const media = referenceMedia(model);
  return fields.flatMap((field) => {
    const value = values[field.name];
    if (isBlank(value)) return [];
    if (field.media && media)
      return media.includes(field.media) ? [] : [refusal(field, media)];
    const taken = model.generation_options?.[field.name];
    return Array.isArray(taken) && taken.length > 0 && !taken.includes(value)
      ? [outside(field, taken)]
      : [];
  });
}

function outside({ name, kind }: Field, taken: readonly unknown[]): Issue {
  // The catalogue lists all numbers that a model takes, but not all words.
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
    ? `${first} to ${last}`
    : `one of ${numbers.join(", ")}`;
}

function refusal({ name }: Field, media: readonly string[]): Issue {
  const words = media.map((medium) => FILES[medium] ?? medium).join(", ");
  return error(
    name,
    "reference_media",
    `does not suit this model, which takes ${words}`,
  );
}

function referenceMedia({ references }: Model): string[] | undefined {
  const { media } = (references ?? {}) as { media?: unknown };
  return Array.isArray(media) ? media.map(String) : undefined;
}

function isBlank(value: unknown): boolean {
  return (
    value === undefined ||
    value === "" ||
    Number.isNaN(value) ||
    (Array.isArray(value) && value.length === 0)
  );
}
