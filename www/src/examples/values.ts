/**
 * The values of “Try an example”. `tests/e2e/draw-examples.mjs` draws their files, and
 * `tests/e2e/draw-results.mjs` makes the finished results from them.
 */
import type { CapabilityName } from "mediagate";
import { defaultValues, kindOfType, offeredAssets } from "mediagate/forms";
import type { Capability, Field } from "../catalogue";
import { models } from "../offers";
import type { Address } from "../results/reference";
import type { Values } from "../storage";

const URLS: Record<string, string> = import.meta.glob("./*.{png,mp4,wav,pdf}", {
  eager: true,
  query: "?url",
  import: "default",
});

export interface ExampleFile extends Address {
  type: string;
  /** The names of the fields that take the file; any field if absent. */
  only?: RegExp;
}

function fileAt(name: string, type: string, only?: RegExp): ExampleFile {
  const url = URLS[`./${name}`] ?? "";
  return { name, url, type, kind: kindOfType(type), ...(only && { only }) };
}

const BEN = fileAt("ben.png", "image/png");
const SINGER = fileAt("singer.png", "image/png");

/** The files. A field takes the first fitting file that is still free, and a list takes all. */
const FILES: readonly ExampleFile[] = [
  fileAt("lamp.png", "image/png", /^file_id$/),
  fileAt("logo.png", "image/png", /logo/),
  fileAt("ada.png", "image/png"),
  BEN,
  fileAt("street.mp4", "video/mp4"),
  fileAt("melody.wav", "audio/wav"),
  fileAt("report.pdf", "application/pdf"),
  fileAt("notes.pdf", "application/pdf"),
];

/** Values that show more of a capability than the catalogue's examples and defaults do. */
const CHOSEN: Partial<Record<CapabilityName, Values>> = {
  text_to_image: { width: 1280, height: 800 },
  text_driven: {
    text: "Welcome to our shop! The new lamps have just arrived.",
    duration_seconds: 4,
  },
  omni_reference_to_video: { duration_seconds: 4 },
  image_to_video: { prompt: "the light goes on", duration_seconds: 4 },
  image_audio_driven: { prompt_image_file_id: BEN },
  mv_director: {
    prompt_image_file_id: SINGER,
    persona: "a quiet night on a neon street",
  },
  text_to_video: {
    prompt: "a sailing boat at sunset",
    duration_seconds: 4,
  },
  split_video: {
    segments: [
      { start_time: "00:00:00", end_time: "00:00:02" },
      { start_time: "00:00:03", end_time: "00:00:05" },
    ],
  },
  // The line of text in `street.mp4`.
  subtitle_removal: { region: { x: 116, y: 236, width: 248, height: 30 } },
  adjust_audio_volume: { volume: "0.5" },
};

/** Returns the values, in which each file is still an address. */
export function exampleValues(capability: Capability): Values {
  const used = new Set<ExampleFile>();
  const values = defaultValues(capability.fields);
  for (const field of capability.fields) {
    if (field.media) values[field.name] = filesFor(field, used);
    else if (field.required) values[field.name] = sampleOf(field);
  }
  return { ...values, ...structuredClone(CHOSEN[capability.name]) };
}

function sampleOf(field: Field): unknown {
  return (
    offeredAssets(field, models.value)[0]?.id ?? structuredClone(field.example)
  );
}

function filesFor(field: Field, used: Set<ExampleFile>): unknown {
  const fitting = FILES.filter(
    ({ kind, only }) =>
      kind === field.media && (only?.test(field.name) ?? true),
  );
  if (field.kind === "files") return fitting;
  const example = fitting.find((candidate) => !used.has(candidate));
  if (!example) return undefined;
  used.add(example);
  return field.kind === "file" ? example : [example];
}
