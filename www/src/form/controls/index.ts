import type { Field, FieldKind } from "mediagate/forms";
import type { FunctionComponent } from "preact";
import { Asset } from "./Asset";
import { Choice } from "./Choice";
import type { ControlProps } from "./control";
import { ManyFiles, OneFile } from "./FilePicker";
import { NumberInput } from "./Number";
import { PageRange } from "./PageRange";
import { Region } from "./Region";
import { Segments } from "./Segments";
import { Text, TextList } from "./Text";
import { OnOrOff, Toggle } from "./Toggle";
import { VideoSize } from "./VideoSize";
import { Volume } from "./Volume";

interface Control {
  component: FunctionComponent<ControlProps>;
  /** True if the control has several inputs, which are in a fieldset with a legend. */
  group?: boolean;
}

const CONTROLS: Record<FieldKind, Control> = {
  text: { component: Text },
  asset: { component: Asset, group: true },
  page_range: { component: PageRange },
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

export function controlFor(field: Field, offered: readonly unknown[]): Control {
  if (field.kind === "text" && offered.length > 0)
    return { component: Choice, group: true };
  if (field.kind === "boolean" && field.default === null)
    return { component: OnOrOff, group: true };
  return CONTROLS[field.kind] ?? CONTROLS.text;
}
