import type { Field, Kind } from "../catalogue";

export { asSentence, fieldLabel as label } from "mediagate/words";

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
  // A note may name the emulator again, and may contain a colon.
  return `Made by the emulator: ${note.replace(" by the emulator", "").replaceAll(": ", ", ")}`;
}

const HELP: { readonly [Of in Kind]?: string } = {
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
  const amount = `About ${price(credits, isEmulated)}.`;
  return isEmulated ? `${amount} Nothing is charged.` : amount;
}

export function price(credits: number, isEmulated: boolean): string {
  const amount = credits.toLocaleString("en", { maximumFractionDigits: 2 });
  const unit = credits === 1 ? "credit" : "credits";
  return `${amount} ${isEmulated ? "emulated " : ""}${unit}`;
}

/** Formats a time left as `about 40 s`, or with units to be read aloud as `about 40 seconds`. */
export function roughly(seconds: number, units: "short" | "spoken"): string {
  if (seconds < 10) return "a few seconds";
  const fives = Math.round(seconds / 5) * 5;
  const isShort = units === "short";
  if (fives < 60) return `about ${fives} ${isShort ? "s" : "seconds"}`;
  const minutes = Math.round(seconds / 60);
  const word = minutes === 1 ? "minute" : "minutes";
  return `about ${minutes} ${isShort ? "min" : word}`;
}

const UNITS = ["B", "kB", "MB", "GB"];

export function bytes(size: number): string {
  const step = Math.min(
    Math.floor(Math.log10(Math.max(size, 1)) / 3),
    UNITS.length - 1,
  );
  const value = size / 1000 ** step;
  return `${value.toFixed(step > 0 && value < 10 ? 1 : 0)} ${UNITS[step]}`;
}

export function pageCount(count: number): string {
  return `${count} ${count === 1 ? "page" : "pages"}`;
}

/** Formats milliseconds as `4 s`, `2:05` or `1:02:05`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const two = (part: number) => String(Math.floor(part) % 60).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return hours > 0
    ? `${hours}:${two(seconds / 60)}:${two(seconds)}`
    : `${Math.floor(seconds / 60)}:${two(seconds)}`;
}
