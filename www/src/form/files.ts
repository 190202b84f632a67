import { kindOfType, takesType } from "mediagate/forms";
import type { Field } from "../catalogue";
import { type Chosen, mediumOf } from "../results/reference";

const NAMES: Record<string, string> = {
  image: "an image",
  video: "a video",
  audio: "a sound",
  pdf: "a PDF",
};

/** The kinds of files with common formats. The media service documents none. */
const WANTED: Record<string, string> = {
  image: "an image, such as a PNG or JPEG",
  video: "a video, such as an MP4",
  audio: "a sound, such as an MP3 or WAV",
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

/** Returns the kind of a file in words; `undefined` for a type that no field takes. */
export function kindOf(type = ""): string | undefined {
  return NAMES[kindOfType(type)];
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
  const kind = kindOf(typeOf(chosen)) ?? "a file of another kind";
  const wanted = WANTED[field.media ?? ""] ?? "a file";
  return `${chosen.name} is ${kind}, and this field needs ${wanted}.`;
}

function typeOf(chosen: Chosen): string {
  return chosen instanceof File ? chosen.type : (mediumOf(chosen) ?? "");
}
