import type {
  CapabilityMethod,
  CapabilityName,
} from "../generated/capabilities.js";
import type { OutputKind } from "../types/task.js";
import type { FormField } from "./fields.js";

/** The kind of a field's value. */
export type FieldKind =
  | "text"
  | "file"
  | "files"
  | "file_or_files"
  | "asset"
  | "integer"
  | "number"
  | "boolean"
  | "text_list"
  | "segments"
  | "page_range"
  | "volume"
  | "region"
  | "video_size";

/** A field of a capability in `mediagate/catalogue.json`. */
export interface Field extends FormField {
  readonly kind: FieldKind;
  /** The documentation, which may have code between backticks. */
  readonly doc: string;
  /** The expected value in words, such as `an integer`. */
  readonly expected: string;
  readonly example: unknown;
  readonly values: readonly string[];
  /** The media types of the files, for the attribute `accept` of an input. */
  readonly accept?: string | undefined;
  /** The smallest number that is not doubtful. */
  readonly minimum?: number | undefined;
}

/**
 * A capability, with the members of `mediagate/catalogue.json` that the rules read. The JSON has
 * this type without a cast.
 */
export interface FormCapability {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** Everyday words for the capability, for a search. */
  readonly keywords: readonly string[];
  /** `generate` or `process`. */
  readonly group: string;
  /** `video`, `image`, `audio`, or `asset` for a PDF. */
  readonly medium: string;
  /** True if the document of the media service does not have the capability. */
  readonly extension: boolean;
  /** The id of the documented model; null if there is none. */
  readonly documentedModel: string | null;
  readonly fields: readonly FormField[];
}

/** A capability in `mediagate/catalogue.json`. */
export interface Capability extends FormCapability {
  readonly name: CapabilityName;
  /** The method of the client, such as `imageToVideo`. */
  readonly method: CapabilityMethod;
  readonly group: "generate" | "process";
  readonly medium: "video" | "image" | "audio" | "asset";
  /** The path after the catalogue's `prefix`. */
  readonly path: string;
  /** The id of the model that the media service takes by default; null if that is unknown. */
  readonly defaultModel: string | null;
  /** Fields, by their names, of which at least one needs a value; empty without such a rule. */
  readonly anyOf: readonly string[];
  /** The documented codes of the responses. */
  readonly codes: readonly { code: number; name: string; message: string }[];
  readonly fields: readonly Field[];
}

/** The content of `mediagate/catalogue.json`. In TypeScript, cast the imported JSON to it. */
export interface Catalogue {
  /** The beginning of the paths on the gateway, such as `/api/app/v1/`. */
  readonly prefix: string;
  readonly capabilities: readonly Capability[];
}

/** Capabilities of one group and medium. */
export interface CapabilitySection<
  Entry extends FormCapability = FormCapability,
> {
  /** A heading in English, such as `Generate video`. */
  readonly heading: string;
  readonly medium: string;
  readonly capabilities: readonly Entry[];
}

const HEADINGS: Record<string, string> = {
  generate: "Generate",
  process: "Process",
  asset: "PDF",
};

/**
 * Sorts capabilities into sections by group and medium, in the order of the catalogue.
 *
 * @param query - Words, which a capability must all have in its name, title, summary, keywords or
 * heading. By default, all capabilities are listed.
 */
export function capabilitySections<Entry extends FormCapability>(
  capabilities: readonly Entry[],
  query = "",
): CapabilitySection<Entry>[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, Entry[]>();
  for (const capability of capabilities) {
    const text = textOf(capability);
    if (!words.every((word) => text.includes(word))) continue;
    const heading = headingOf(capability);
    found.set(heading, [...(found.get(heading) ?? []), capability]);
  }
  return [...found].map(([heading, entries]) => ({
    heading,
    medium: entries[0]?.medium ?? "",
    capabilities: entries,
  }));
}

function textOf(capability: FormCapability): string {
  const { title, name, summary, group, medium, keywords } = capability;
  return [title, name, summary, group, word(medium), ...keywords]
    .join(" ")
    .toLowerCase();
}

function headingOf({ group, medium }: FormCapability): string {
  // "PDF" keeps its capitals within a heading, such as "Process PDF".
  const object = word(medium).replace(/^[A-Z](?=[a-z])/, (letter) =>
    letter.toLowerCase(),
  );
  return `${word(group)} ${object}`;
}

function word(name: string): string {
  return HEADINGS[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns the kind of files that a capability makes. */
export function outputKind({ medium }: Pick<Capability, "medium">): OutputKind {
  // The media service's paths call the medium of PDFs `asset`.
  return medium === "asset" ? "pdf" : medium;
}

/** A field of a capability that takes a result, as {@link fieldsFor} lists it. */
export interface FieldOf<Entry extends FormCapability = FormCapability> {
  readonly capability: Entry;
  readonly field: Entry["fields"][number];
}

/**
 * Lists the fields that take a result: those for files of its kind, or those for assets. The fields
 * for assets are of all categories, since a result has only the id of its asset.
 *
 * @param kind - The `kind` of the output, or `asset` for an output with an `assetId`. No field
 * takes an output of an unknown kind.
 */
export function fieldsFor<Entry extends FormCapability>(
  capabilities: readonly Entry[],
  kind: OutputKind | "asset" | undefined,
): FieldOf<Entry>[] {
  const isTarget = (field: FormField) =>
    kind === "asset"
      ? field.kind === "asset"
      : field.media !== undefined && field.media === kind;
  return capabilities.flatMap((capability) =>
    capability.fields.filter(isTarget).map((field) => ({ capability, field })),
  );
}
