/** Values to try a form with. `tests/e2e/draw-examples.mjs` draws their files. */
import type { Capability, Field } from "../catalogue";
import { defaults } from "../form/defaults";
import { offeredAssets } from "../form/models";
import type { Values } from "../storage";

interface Example {
  media: string;
  name: string;
  type: string;
  url: URL;
  /** The names of the fields that take the file; any field if absent. */
  only?: RegExp;
}

/** The files. A field takes the first fitting file that is still free, and a list takes all. */
const EXAMPLES: readonly Example[] = [
  {
    media: "image",
    name: "lamp.png",
    type: "image/png",
    url: new URL("./lamp.png", import.meta.url),
    only: /^file_id$/,
  },
  {
    media: "image",
    name: "logo.png",
    type: "image/png",
    url: new URL("./logo.png", import.meta.url),
    only: /logo/,
  },
  {
    media: "image",
    name: "ada.png",
    type: "image/png",
    url: new URL("./ada.png", import.meta.url),
  },
  {
    media: "image",
    name: "ben.png",
    type: "image/png",
    url: new URL("./ben.png", import.meta.url),
  },
  {
    media: "video",
    name: "street.mp4",
    type: "video/mp4",
    url: new URL("./street.mp4", import.meta.url),
  },
  {
    media: "audio",
    name: "melody.wav",
    type: "audio/wav",
    url: new URL("./melody.wav", import.meta.url),
  },
  {
    media: "pdf",
    name: "report.pdf",
    type: "application/pdf",
    url: new URL("./report.pdf", import.meta.url),
  },
  {
    media: "pdf",
    name: "notes.pdf",
    type: "application/pdf",
    url: new URL("./notes.pdf", import.meta.url),
  },
];

/** Returns the form's defaults, a value for each required field, and a file for each file field. */
export async function exampleOf(capability: Capability): Promise<Values> {
  const used = new Set<Example>();
  const values = defaults(capability);
  for (const field of capability.fields) {
    if (field.media) values[field.name] = await filesFor(field, used);
    else if (field.required) values[field.name] = sampleOf(field);
  }
  return values;
}

function sampleOf(field: Field): unknown {
  return offeredAssets(field)[0]?.id ?? structuredClone(field.example);
}

async function filesFor(field: Field, used: Set<Example>): Promise<unknown> {
  const fitting = EXAMPLES.filter(
    ({ media, only }) =>
      media === field.media && (only?.test(field.name) ?? true),
  );
  if (field.kind === "files") return Promise.all(fitting.map(load));
  const example = fitting.find((candidate) => !used.has(candidate));
  if (!example) return undefined;
  used.add(example);
  const file = await load(example);
  return field.kind === "file" ? file : [file];
}

async function load({ url, name, type }: Example): Promise<File> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return new File([await response.blob()], name, { type });
}
