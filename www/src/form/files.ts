import { kindOfType, takesType } from "mediagate/forms";
import type { Field } from "../catalogue";
import { type Chosen, mediumOf } from "../results/reference";

const NAMES: Record<string, string> = {
  image: "an image",
  video: "a video",
  audio: "a sound",
  pdf: "a PDF",
};

interface Taken {
  files: Chosen[];
  /** A message about the refused files; empty if there are none. */
  notice: string;
}

export function takesFiles(field: Field): boolean {
  return field.media !== undefined;
}

export function kindOf(type = ""): string {
  return NAMES[kindOfType(type)] ?? `a file of the type ${type}`;
}

export function take(
  field: Field,
  before: readonly Chosen[],
  added: readonly Chosen[],
): Taken {
  const fitting = added.filter((chosen) => takesType(field, typeOf(chosen)));
  const refused = added
    .filter((chosen) => !fitting.includes(chosen))
    .map((chosen) => refusal(field, chosen));
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
  return `${chosen.name} is ${kindOf(typeOf(chosen))}, and this field needs ${NAMES[field.media ?? ""] ?? "a file"}.`;
}

function typeOf(chosen: Chosen): string {
  return chosen instanceof File ? chosen.type : (mediumOf(chosen) ?? "");
}
