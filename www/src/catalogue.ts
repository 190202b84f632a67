/**
 * The capabilities, as the npm package describes them. No code here depends on a capability's
 * name.
 */
import type { CapabilityName } from "mediagate";
import generated from "mediagate/catalogue.json";

export type Kind =
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

export interface Field {
  name: string;
  kind: Kind;
  required: boolean;
  doc: string;
  /** The documented default, the initial value in the form; null if there is none. */
  default: unknown;
  example: unknown;
  /** Documented values of an open list; empty if the document names none. */
  values: string[];
  /** The kind of file in a file field: `image`, `video`, `audio` or `pdf`. */
  media?: string;
  /** The media types for a file input's `accept`. */
  accept?: string;
  category?: string;
  /** The smallest number that is not doubtful. */
  minimum?: number;
}

export interface Capability {
  name: CapabilityName;
  method: string;
  title: string;
  summary: string;
  /** True if the document of the media service does not have the capability. */
  extension: boolean;
  keywords?: readonly string[];
  /** `generate` or `process`. */
  group: string;
  /** `video`, `image`, `audio` or `asset`. */
  medium: string;
  path: string;
  documentedModel: string | null;
  fields: Field[];
}

export interface Section {
  heading: string;
  medium: string;
  capabilities: Capability[];
}

const catalogue: { prefix: string; capabilities: readonly unknown[] } =
  generated;

export const { prefix } = catalogue;

export const capabilities = catalogue.capabilities as readonly Capability[];

const byName = new Map<string, Capability>(
  capabilities.map((capability) => [capability.name, capability]),
);

export function findCapability(name: string): Capability | undefined {
  return byName.get(name);
}

const HEADINGS: Record<string, string> = {
  generate: "Generate",
  process: "Process",
  asset: "PDF",
};

function heading(word: string): string {
  return HEADINGS[word] ?? word.charAt(0).toUpperCase() + word.slice(1);
}

export function sections(
  filter: string,
  capabilities: readonly Capability[],
): Section[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, Section>();
  for (const capability of capabilities) {
    const { group, medium, title, name, summary, keywords = [] } = capability;
    const text = [title, name, summary, group, heading(medium), ...keywords]
      .join(" ")
      .toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    // "PDF" keeps its capitals within a heading, such as "Process PDF".
    const object = heading(medium).replace(/^[A-Z](?=[a-z])/, (letter) =>
      letter.toLowerCase(),
    );
    const key = `${heading(group)} ${object}`;
    const section = found.get(key) ?? {
      heading: key,
      medium,
      capabilities: [],
    };
    section.capabilities.push(capability);
    found.set(key, section);
  }
  return [...found.values()];
}
