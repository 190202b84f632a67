/** The file or result that a field refers to, in another field of the form: the picture of a region, the video of parts. */
import type { Field, Kind } from "../catalogue";
import { type Chosen, isChosen } from "../results/reference";
import type { Values } from "../storage";

/** The media of the file, for each kind of field that refers to one. */
const SOURCE_MEDIA: { readonly [It in Kind]?: readonly string[] } = {
  page_range: ["pdf"],
  segments: ["video"],
  region: ["image", "video"],
  video_size: ["video"],
};

export interface Source {
  file: Chosen;
  media: string;
}

/** `undefined` until it is chosen. */
export function sourceOf(
  { kind }: Field,
  fields: readonly Field[],
  values: Values,
): Source | undefined {
  return chosenFile(SOURCE_MEDIA[kind] ?? [], fields, values);
}

/** What is in the first field that takes one of these media. */
export function chosenFile(
  media: readonly string[],
  fields: readonly Field[],
  values: Values,
): Source | undefined {
  const other = fields.find(
    (it) => it.kind === "file" && media.includes(it.media ?? ""),
  );
  const file = other && values[other.name];
  return isChosen(file) ? { file, media: other?.media ?? "" } : undefined;
}
