/** The control for each kind of field. */
import type { ComponentType } from "preact";
import type { Field, Kind } from "../../catalogue";
import { Choice } from "./Choice";
import type { ControlProps } from "./control";
import { ManyFiles, OneFile } from "./FilePicker";
import { NumberInput } from "./Number";
import { Region, VideoSize } from "./Pixels";
import { Segments } from "./Segments";
import { Text, TextList } from "./Text";
import { Toggle } from "./Toggle";
import { Volume } from "./Volume";

export interface Control {
  component: ComponentType<ControlProps>;
  /** Made of several inputs, which a fieldset with a legend holds together. */
  group?: boolean;
}

const CONTROLS: Record<Kind, Control> = {
  text: { component: Text },
  asset: { component: Text },
  page_range: { component: Text },
  text_list: { component: TextList },
  file: { component: OneFile },
  files: { component: ManyFiles },
  file_or_files: { component: ManyFiles },
  integer: { component: NumberInput },
  number: { component: NumberInput },
  boolean: { component: Toggle },
  segments: { component: Segments, group: true },
  volume: { component: Volume, group: true },
  region: { component: Region, group: true },
  video_size: { component: VideoSize, group: true },
};

export function controlFor(field: Field): Control {
  if (field.kind === "text" && field.values.length > 0) return { component: Choice, group: true };
  return CONTROLS[field.kind] ?? CONTROLS.text;
}
