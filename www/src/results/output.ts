import type { Output } from "mediagate";
import { online } from "../parts/online";
import { type Entry, headingOf } from "../tasks/entry";
import { type ResultReference, webUrl } from "./reference";

export type Medium = NonNullable<Output["kind"]>;

export interface Loadable {
  url: string;
  kind: Medium | undefined;
  /** The name that is shown, such as "Split PDF 2". */
  name: string;
  /** The emulator's note, or `null` if it gave none; `undefined` for the media service's result. */
  note: string | null | undefined;
  /** Stands for the result in a form; `undefined` if there is no task that the gateway can read. */
  reference: ResultReference | undefined;
}

export function loadables(entry: Entry): Loadable[] {
  const title = headingOf(entry);
  const taskId = entry.saved?.id;
  const all = entry.outputs.flatMap(({ url: link, kind, assetId }, output) => {
    const url = webUrl(link);
    return url
      ? [
          {
            url,
            kind: kind ?? undefined,
            assetId: assetId ?? undefined,
            output,
          },
        ]
      : [];
  });
  return all.map(({ output, assetId, ...source }, index) => {
    const name = all.length > 1 ? `${title} ${index + 1}` : title;
    const reference = taskId
      ? { ...source, taskId, output, assetId, name }
      : undefined;
    return { ...source, name, note: noteOf(entry, output), reference };
  });
}

export function noteOf(
  { emulated }: Entry,
  index: number,
): string | null | undefined {
  return emulated && (emulated[index] ?? null);
}

/** The most characters of a file's name, which file systems limit. */
const MAX_NAME = 80;
export const TYPES: Record<Medium, string> = {
  image: "image/png",
  video: "video/mp4",
  audio: "audio/wav",
  pdf: "application/pdf",
};
const EXTENSIONS: Record<string, string> = {
  jpeg: "jpg",
  mpeg: "mp3",
  "x-wav": "wav",
  quicktime: "mov",
  "svg+xml": "svg",
  "x-m4a": "m4a",
};

export function unreadable(): string {
  return online.value
    ? "The host of the result does not let this page read it. Download it, then choose the file in the form."
    : "You are offline. Try again when the network is back.";
}

/** Fetches an output as a file, named after its task. */
export async function fetchFile({
  url,
  kind,
  name,
}: Pick<Loadable, "url" | "kind" | "name">): Promise<File> {
  const response = await fetch(url, { referrerPolicy: "no-referrer" });
  if (!response.ok)
    throw new Error(
      `The result could not be loaded (status ${response.status}). Its link may have expired.`,
    );
  const blob = await response.blob();
  // Some hosts send every file as `application/octet-stream`.
  const type = /^(image|video|audio)\/|\/pdf/.test(blob.type)
    ? blob.type
    : (kind && TYPES[kind]) || blob.type;
  const [, subtype = ""] = type.split(/[/;]/);
  // Marks are part of words, such as the vowel signs of Hindi.
  const words = name.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, "-");
  const letters = [...words];
  let end = Math.min(letters.length, MAX_NAME);
  // A letter without its marks would be another letter.
  while (end > 0 && /\p{M}/u.test(letters[end] ?? "")) end -= 1;
  const slug = letters.slice(0, end).join("").replace(/^-|-$/g, "") || "result";
  return new File(
    [blob],
    `${slug}.${EXTENSIONS[subtype] ?? (subtype || "bin")}`,
    { type },
  );
}

/** Downloads an output under its name. If the page may not read it, the browser opens it. */
export async function download(output: Loadable): Promise<void> {
  const file = await fetchFile(output).catch(() => undefined);
  const link = document.createElement("a");
  link.href = file ? URL.createObjectURL(file) : output.url;
  link.download = file?.name ?? "";
  link.rel = "noopener noreferrer";
  if (!file) link.target = "_blank";
  link.click();
  // A browser may first ask for a folder, which can take a minute.
  if (file) setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
