import type { Field, FieldKind } from "mediagate/forms";
import { formatCredits } from "mediagate/words";

const KINDS: Record<string, string> = {
  image: "image",
  video: "video",
  audio: "sound",
  pdf: "PDF",
};

/** Returns the word for a kind of file; `undefined` for an unknown kind. */
export function kindWord(kind: string | undefined): string | undefined {
  return KINDS[kind ?? ""];
}

export function madeByEmulator(note: string | null): string {
  if (note === null) return "Made by the emulator";
  // A note may contain a colon, too.
  return `Made by the emulator: ${note.replaceAll(": ", ", ")}`;
}

const HELP: { readonly [Of in FieldKind]?: string } = {
  segments:
    "Each part becomes a video of its own. What is between them is left out.",
  page_range:
    "The result has the pages in this order. A page may come more than once.",
  volume: "1 and 0dB leave the sound as it is.",
};

export function help(field: Field): string | undefined {
  return HELP[field.kind];
}

/** Describes the estimated cost of a run. `credits` comes unchecked from the gateway. */
export function cost(credits: unknown, isEmulated: boolean): string {
  if (typeof credits !== "number" || !Number.isFinite(credits))
    return "The media service gave no number.";
  const amount = `About ${formatCredits(credits, isEmulated)}.`;
  return isEmulated ? `${amount} Nothing is charged.` : amount;
}

export function pageCount(count: number): string {
  return `${count} ${count === 1 ? "page" : "pages"}`;
}
