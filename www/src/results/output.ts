/** The outputs of a task: to show, to download, to use in the next request. */
import type { Output } from "mediagate";
import { findCapability } from "../catalogue";
import type { Entry } from "../tasks/entry";

export type Medium = NonNullable<Output["kind"]>;

/** An output with a URL, and its name. */
export interface Loadable {
  url: string;
  kind: Medium | undefined;
  /** The name that is shown, such as "Split PDF 2". */
  name: string;
  /** For a result of the emulator, its note or `null`; `undefined` for one of the media service. */
  note: string | null | undefined;
}

/** The outputs of a task that can be loaded. */
export function loadables(entry: Entry): Loadable[] {
  const title = entry.title || findCapability(entry.capability)?.title || entry.capability;
  const all = entry.outputs.flatMap(({ url, kind }, index) =>
    isWeb(url) ? [{ url, kind: kind ?? undefined, note: noteOf(entry, index) }] : [],
  );
  return all.map((it, index) => ({ ...it, name: all.length > 1 ? `${title} ${index + 1}` : title }));
}

/** What to say of an output of the emulator. */
export function noteOf({ emulated }: Entry, index: number): string | null | undefined {
  return emulated && (emulated[index] ?? null);
}

/** Whether this is an HTTP URL: it comes from the media service, and may be anything. */
function isWeb(url: string | null | undefined): url is string {
  return /^https?:\/\//i.test(url ?? "");
}

/** File systems limit the length of a name. */
const MAX_NAME = 80;
const FALLBACK: Record<Medium, string> = {
  image: "image/png",
  video: "video/mp4",
  audio: "audio/wav",
  pdf: "application/pdf",
};
/** File extensions that differ from the media subtype. */
const EXTENSIONS: Record<string, string> = {
  jpeg: "jpg",
  mpeg: "mp3",
  "x-wav": "wav",
  quicktime: "mov",
  "svg+xml": "svg",
  "x-m4a": "m4a",
};

/** Fetches an output as a file, named after its task. */
export async function fetchFile({ url, kind, name }: Loadable): Promise<File> {
  const response = await fetch(url, { referrerPolicy: "no-referrer" });
  if (!response.ok)
    throw new Error(`The result could not be loaded (status ${response.status}). Its link may have expired.`);
  const blob = await response.blob();
  const type = /^(image|video|audio)\/|\/pdf/.test(blob.type) ? blob.type : (kind && FALLBACK[kind]) || blob.type;
  const [, subtype = ""] = type.split(/[/;]/);
  const slug =
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .slice(0, MAX_NAME)
      .replace(/^-|-$/g, "") || "result";
  return new File([blob], `${slug}.${EXTENSIONS[subtype] ?? (subtype || "bin")}`, { type });
}

/** Downloads an output under its name; if the page may not read it, the browser opens it. */
export async function download(output: Loadable): Promise<void> {
  const file = await fetchFile(output).catch(() => undefined);
  const link = document.createElement("a");
  link.href = file ? URL.createObjectURL(file) : output.url;
  link.download = file?.name ?? "";
  link.rel = "noopener noreferrer";
  if (!file) link.target = "_blank";
  link.click();
  // A minute is for a browser that first prompts for a folder.
  if (file) setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
