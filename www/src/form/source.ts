/** The file that a field refers to in another field, such as the picture of a region. */
import type { Field, Kind } from "../catalogue";
import { type Chosen, isChosen } from "../results/reference";
import type { Values } from "../storage";

const SOURCE_MEDIA: { readonly [Of in Kind]?: readonly string[] } = {
  page_range: ["pdf"],
  segments: ["video"],
  region: ["image", "video"],
  video_size: ["video"],
};

export interface Source {
  file: Chosen;
  media: string;
}

/** Returns the file or result that a field refers to; `undefined` until it is chosen. */
export function sourceOf(
  { kind }: Field,
  fields: readonly Field[],
  values: Values,
): Source | undefined {
  return chosenFile(SOURCE_MEDIA[kind] ?? [], fields, values);
}

export function chosenFile(
  media: readonly string[],
  fields: readonly Field[],
  values: Values,
): Source | undefined {
  const other = fields.find(
    (field) => field.kind === "file" && media.includes(field.media ?? ""),
  );
  const file = other && values[other.name];
  return isChosen(file) ? { file, media: other?.media ?? "" } : undefined;
}
