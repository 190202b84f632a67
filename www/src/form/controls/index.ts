/** The control for each kind of field. */
import type { FunctionComponent } from "preact";
import type { Field, Kind } from "../../catalogue";
import { Choice } from "./Choice";
import type { ControlProps } from "./control";
import { ManyFiles, OneFile } from "./FilePicker";
import { NumberInput } from "./Number";
import { PageRange } from "./PageRange";
import { Region } from "./Region";
import { Segments } from "./Segments";
import { Text, TextList } from "./Text";
import { Toggle } from "./Toggle";
import { VideoSize } from "./VideoSize";
import { Volume } from "./Volume";

export interface Control {
  component: FunctionComponent<ControlProps>;
  /** Whether it consists of several inputs, which are in a fieldset with a legend. */
  group?: boolean;
  /** The media of the file that it refers to, in another field of the form. */
  sourceMedia?: readonly string[];
}

const CONTROLS: Record<Kind, Control> = {
  text: { component: Text },
  asset: { component: Text },
  page_range: { component: PageRange, sourceMedia: ["pdf"] },
  text_list: { component: TextList },
  file: { component: OneFile },
  files: { component: ManyFiles },
  file_or_files: { component: ManyFiles },
  integer: { component: NumberInput },
  number: { component: NumberInput },
  boolean: { component: Toggle },
  segments: { component: Segments, group: true, sourceMedia: ["video"] },
  volume: { component: Volume, group: true },
  region: { component: Region, group: true, sourceMedia: ["image", "video"] },
  video_size: { component: VideoSize, group: true, sourceMedia: ["video"] },
};

export function controlFor(field: Field, offered: readonly unknown[] = field.values): Control {
  if (field.kind === "text" && offered.length > 0) return { component: Choice, group: true };
  return CONTROLS[field.kind] ?? CONTROLS.text;
}

/** The file that a field refers to; `undefined` until it is chosen. */
export function sourceOf(
  field: Field,
  fields: readonly Field[],
  values: Readonly<Record<string, unknown>>,
): File | undefined {
  const { sourceMedia = [] } = controlFor(field);
  const other = fields.find((it) => it.kind === "file" && sourceMedia.includes(it.media ?? ""));
  const value = other && values[other.name];
  return value instanceof File ? value : undefined;
}
