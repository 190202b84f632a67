/** Values to try a form with. `tests/e2e/draw-examples.mjs` draws their files. */
import { defaultValues, kindOfType, offeredAssets } from "mediagate/forms";
import type { Capability, Field } from "../catalogue";
import { models } from "../offers";
import type { Values } from "../storage";

const URLS: Record<string, string> = import.meta.glob("./*.{png,mp4,wav,pdf}", {
  eager: true,
  query: "?url",
  import: "default",
});

interface Example {
  name: string;
  type: string;
  /** The names of the fields that take the file; any field if absent. */
  only?: RegExp;
}

/** The files. A field takes the first fitting file that is still free, and a list takes all. */
const EXAMPLES: readonly Example[] = [
  { name: "lamp.png", type: "image/png", only: /^file_id$/ },
  { name: "logo.png", type: "image/png", only: /logo/ },
  { name: "ada.png", type: "image/png" },
  { name: "ben.png", type: "image/png" },
  { name: "street.mp4", type: "video/mp4" },
  { name: "melody.wav", type: "audio/wav" },
  { name: "report.pdf", type: "application/pdf" },
  { name: "notes.pdf", type: "application/pdf" },
];

export async function exampleOf(capability: Capability): Promise<Values> {
  const used = new Set<Example>();
  const values = defaultValues(capability.fields);
  for (const field of capability.fields) {
    if (field.media) values[field.name] = await filesFor(field, used);
    else if (field.required) values[field.name] = sampleOf(field);
  }
  return values;
}

function sampleOf(field: Field): unknown {
  return (
    offeredAssets(field, models.value)[0]?.id ?? structuredClone(field.example)
  );
}

async function filesFor(field: Field, used: Set<Example>): Promise<unknown> {
  const fitting = EXAMPLES.filter(
    ({ type, only }) =>
      kindOfType(type) === field.media && (only?.test(field.name) ?? true),
  );
  if (field.kind === "files") return Promise.all(fitting.map(load));
  const example = fitting.find((candidate) => !used.has(candidate));
  if (!example) return undefined;
  used.add(example);
  const file = await load(example);
  return field.kind === "file" ? file : [file];
}

async function load({ name, type }: Example): Promise<File> {
  const response = await fetch(URLS[`./${name}`] ?? "");
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return new File([await response.blob()], name, { type });
}
