/**
 * A finished result of each capability's example, for the stage before a person has made one.
 * `tests/e2e/draw-results.mjs` makes the files.
 */
import type { OutputKind } from "mediagate";
import { defaultValues } from "mediagate/forms";
import { fieldLabel } from "mediagate/words";
import type { Capability, Field } from "../catalogue";
import { chosenIn, isAddress } from "../results/reference";
import type { Values } from "../storage";
import { exampleValues } from "./values";

interface FinishedOutput {
  url: string;
  kind: OutputKind;
  /** The URL of a video's first picture. */
  poster?: string;
}

export interface FinishedExample {
  /** At least one. A task with many results has the first ones here. */
  outputs: readonly FinishedOutput[];
  /** Texts in quotes, the names of files, and further values, for a person. */
  values: readonly string[];
  /** The processed file, if the outputs are of its kind. A generated output has none. */
  before?: { url: string };
}

/** The URLs of the files by their paths. Nothing is loaded before it is shown. */
const URLS: Record<string, string> = import.meta.glob(
  "./results/*.{webp,mp4,mp3,pdf}",
  { eager: true, query: "?url", import: "default" },
);

const KINDS: Record<string, OutputKind> = {
  mp4: "video",
  mp3: "audio",
  pdf: "pdf",
  webp: "image",
};

export function finishedOf(
  capability: Capability,
): FinishedExample | undefined {
  const outputs = outputsOf(capability.name);
  const [first] = outputs;
  if (!first) return undefined;
  const values = exampleValues(capability);
  const before = beforeOf(capability, values, first.kind);
  return {
    outputs,
    values: textsOf(capability, values),
    ...(before && { before }),
  };
}

/** Finds the files `name.mp4`, or `name-1.mp4` and so on. A video's poster is `name.webp`. */
function outputsOf(name: string): FinishedOutput[] {
  const own = new RegExp(`^\\./results/${name}(-\\d)?\\.(\\w+)$`);
  return Object.entries(URLS).flatMap(([path, url]) => {
    const [, index = "", extension = ""] = own.exec(path) ?? [];
    const kind = KINDS[extension];
    if (!kind) return [];
    const fileAs = (other: string) =>
      URLS[`./results/${name}${index}.${other}`];
    if (kind === "image" && fileAs("mp4")) return [];
    const poster = kind === "video" ? fileAs("webp") : undefined;
    return [{ url, kind, ...(poster && { poster }) }];
  });
}

/** Returns the last file of the outputs' kind: a head swap keeps the scene of its second one. */
function beforeOf(
  { group, fields }: Capability,
  values: Values,
  kind: OutputKind,
): { url: string } | undefined {
  if (group !== "process") return undefined;
  const field = fields
    .filter(({ media, required }) => media === kind && required)
    .at(-1);
  const [file] = chosenIn(values[field?.name ?? ""]);
  return isAddress(file) ? { url: file.url } : undefined;
}

function textsOf({ fields }: Capability, values: Values): string[] {
  const defaults = defaultValues(fields);
  return fields.flatMap((field) => {
    const value = values[field.name];
    return value === defaults[field.name] ? [] : (textOf(field, value) ?? []);
  });
}

/** Returns `undefined` for a value that means nothing to a person, such as the id of an asset. */
function textOf(field: Field, value: unknown): string | undefined {
  const files = chosenIn(value);
  if (files.length > 0) return files.map(({ name }) => name).join(", ");
  if (field.kind === "text") return `“${value}”`;
  if (typeof value === "object" || field.kind === "asset") return undefined;
  if (field.name.endsWith("_seconds")) return `${value} seconds`;
  return `${fieldLabel(field)} ${value}`;
}
