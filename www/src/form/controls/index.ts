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
  /** Made of several inputs, which a fieldset with a legend holds together. */
  group?: boolean;
  /** The media of the file that it is about, which another field of the form holds. */
  about?: readonly string[];
}

const CONTROLS: Record<Kind, Control> = {
  text: { component: Text },
  asset: { component: Text },
  page_range: { component: PageRange, about: ["pdf"] },
  text_list: { component: TextList },
  file: { component: OneFile },
  files: { component: ManyFiles },
  file_or_files: { component: ManyFiles },
  integer: { component: NumberInput },
  number: { component: NumberInput },
  boolean: { component: Toggle },
  segments: { component: Segments, group: true, about: ["video"] },
  volume: { component: Volume, group: true },
  region: { component: Region, group: true, about: ["image", "video"] },
  video_size: { component: VideoSize, group: true, about: ["video"] },
};

export function controlFor(field: Field): Control {
  if (field.kind === "text" && field.values.length > 0) return { component: Choice, group: true };
  return CONTROLS[field.kind] ?? CONTROLS.text;
}

/** The file that a field is about, where it is chosen. */
export function sourceOf(field: Field, fields: readonly Field[], values: Readonly<Record<string, unknown>>): File | undefined {
  const { about = [] } = controlFor(field);
  const other = fields.find((it) => it.kind === "file" && about.includes(it.media ?? ""));
  const value = other && values[other.name];
  return value instanceof File ? value : undefined;
}
