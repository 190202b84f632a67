/** Which files a field takes, and what to say of those that it does not. */
import type { Field } from "../catalogue";
import { type Chosen, mediumOf } from "../results/reference";

/** A file of each medium, as a person calls it. */
const NAMES: Record<string, string> = {
  image: "an image",
  video: "a video",
  audio: "a sound",
  pdf: "a PDF",
};

export interface Taken {
  /** The field's files and results after the addition. */
  files: Chosen[];
  /** What was not taken and why; empty if all of it was. */
  notice: string;
}

export function takesFiles(field: Field): boolean {
  return field.media !== undefined;
}

/** Whether a field takes files of a type. A type that the browser does not know may be any. */
export function takes(field: Field, type: string): boolean {
  return type === "" || mediumIn(type) === field.media;
}

/** What a field takes, such as `an image`. */
export function neededBy(field: Field): string {
  return NAMES[field.media ?? ""] ?? "a file";
}

/** What a file is, such as `a sound`. */
export function kindOf(type: string): string {
  return NAMES[mediumIn(type)] ?? `a file of the type ${type}`;
}

/** Adds files and results to those of a field. Those of a wrong kind are refused; a field of one file takes the first of the others. */
export function take(
  field: Field,
  before: readonly Chosen[],
  added: readonly Chosen[],
): Taken {
  const fitting = added.filter((it) => takes(field, typeOf(it)));
  const refused = added
    .filter((it) => !fitting.includes(it))
    .map((it) => refusal(field, it));
  if (field.kind !== "file")
    return { files: [...before, ...fitting], notice: refused.join(" ") };
  const [first] = fitting;
  const only =
    fitting.length > 1 && first
      ? [`This field takes one file: only ${first.name} was taken.`]
      : [];
  return {
    files: first ? [first] : [...before],
    notice: [...refused, ...only].join(" "),
  };
}

function refusal(field: Field, chosen: Chosen): string {
  return `${chosen.name} is ${kindOf(typeOf(chosen))}, and this field needs ${neededBy(field)}.`;
}

/** The media type of a file, or the medium of a result. */
function typeOf(chosen: Chosen): string {
  return chosen instanceof File ? chosen.type : mediumOf(chosen);
}

function mediumIn(type: string): string {
  return type === "application/pdf" ? "pdf" : (type.split("/")[0] ?? "");
}
