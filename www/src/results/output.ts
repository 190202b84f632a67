/** What a task produced, as bytes: to keep, to compare, to use in the next request. */
import type { Output } from "mediagate";
import { findCapability } from "../catalogue";
import type { Entry } from "../tasks/entry";

export type Medium = NonNullable<Output["kind"]>;

/** Something to load, and what it is called. */
export interface Loadable {
  url: string;
  kind: Medium | undefined;
  /** What a person reads, such as "Split PDF 2". */
  name: string;
}

/** The outputs of a task that can be loaded. */
export function loadables(entry: Entry): Loadable[] {
  const title = entry.title || findCapability(entry.capability)?.title || entry.capability;
  const all = entry.outputs.flatMap(({ url, kind }) => (isWeb(url) ? [{ url, kind: kind ?? undefined }] : []));
  return all.map((it, index) => ({ ...it, name: all.length > 1 ? `${title} ${index + 1}` : title }));
}

/** Only what is fetched over HTTP: the address comes from elsewhere. */
function isWeb(url: string | null | undefined): url is string {
  return /^https?:\/\//i.test(url ?? "");
}

const FALLBACK: Record<Medium, string> = { image: "image/png", video: "video/mp4", audio: "audio/wav", pdf: "application/pdf" };
/** Where the part after the slash is not what files end with. */
const ENDINGS: Record<string, string> = { jpeg: "jpg", mpeg: "mp3", "x-wav": "wav", quicktime: "mov", "svg+xml": "svg", "x-m4a": "m4a" };

/** Loads it whole, as a file with a name that says where it is from. */
export async function fetchFile({ url, kind, name }: Loadable): Promise<File> {
  const answer = await fetch(url, { referrerPolicy: "no-referrer" });
  if (!answer.ok) throw new Error(`The result could not be loaded (status ${answer.status}); its address may have expired.`);
  const blob = await answer.blob();
  const type = /^(image|video|audio)\/|\/pdf/.test(blob.type) ? blob.type : (kind && FALLBACK[kind]) || blob.type;
  const [, subtype = ""] = type.split(/[/;]/);
  const slug = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "result";
  return new File([blob], `${slug}.${ENDINGS[subtype] ?? (subtype || "bin")}`, { type });
}

/** Hands it to the browser's downloads; where it may not be read, the browser opens it. */
export async function download(output: Loadable): Promise<void> {
  const file = await fetchFile(output).catch(() => undefined);
  const link = document.createElement("a");
  link.href = file ? URL.createObjectURL(file) : output.url;
  link.download = file?.name ?? "";
  link.rel = "noopener noreferrer";
  if (!file) link.target = "_blank";
  link.click();
  // The browser has the bytes by then; a minute is for one that asks where to.
  if (file) setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
