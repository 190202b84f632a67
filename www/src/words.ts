/** Texts for people: names of fields, descriptions of error codes, sizes and times. */
import type { ErrorCode } from "mediagate";
import type { Field, Kind } from "./catalogue";

/** For each error code a heading and, if there is something to do about it, a remedy. */
const CODES: { readonly [Code in ErrorCode | "lost"]?: readonly [heading: string, remedy?: string] } = {
  invalid_input: ["The request is not valid", "Correct the fields that are marked."],
  unauthenticated: ["Not signed in", "The session was refused; reload the page to get a new one."],
  forbidden: ["Not allowed", "This session may not do this; ask the operator of the gateway for more."],
  upstream_credentials: ["The gateway's key was refused", "Its operator has to correct UPSTREAM_API_KEY."],
  rate_limit: ["Too many requests", "Wait a moment, then try again."],
  budget_exceeded: ["The budget is used up", "Try again later, or have the budget raised."],
  server_error: ["The media service failed", "Try again in a moment."],
  insufficient_credits: ["Not enough credits", "Top up the account behind this gateway."],
  asset_category_mismatch: ["The file or asset is of the wrong kind", "Choose one that fits this field."],
  voice_asset_required: ["A voice is needed", "Enter the id of a voice asset."],
  provider_error: ["The model's provider failed", "Check before you try again."],
  provider_timeout: ["The model's provider took too long", "Check before you try again."],
  asset_locked: ["The asset is locked", "Choose another asset."],
  asset_expired: ["The asset has expired", "Choose another asset."],
  paid_plan_required: ["A paid plan is needed", "Choose another model, or upgrade the account behind this gateway."],
  invalid_model: ["The model is unknown or not available", "Leave the model empty to use the default."],
  network: ["The gateway cannot be reached", "Check the connection, then try again."],
  aborted: ["Cancelled"],
  timeout: ["That took too long", "Try again in a moment."],
  unreadable: ["The gateway's response could not be read", "Try again in a moment."],
  load_failed: ["The client could not be loaded"],
  upload_failed: ["The file could not be uploaded", "Try again; the fields keep what you entered."],
  lost: [
    "It is unknown whether this task was created",
    "It may exist and be charged. Run it again if you need the result.",
  ],
  task_failed: ["The task failed"],
  task_expired: ["The task expired", "Run it again."],
};

export function describeCode(code: string): { heading: string; remedy: string | undefined } {
  const [heading, remedy] = CODES[code as ErrorCode] ?? [sentence(code)];
  return { heading, remedy };
}

/** A file of each medium, and several. */
const MEDIA: Record<string, readonly [one: string, many: string]> = {
  image: ["Image", "Images"],
  video: ["Video", "Videos"],
  audio: ["Audio", "Audio files"],
  pdf: ["PDF", "PDFs"],
};

/** Labels of kinds whose wire names say less than a person needs. */
const KIND_LABELS: { readonly [It in Kind]?: string } = { segments: "Parts to keep", video_size: "Size of the video" };

/** The label of a field: "Source image" for `source_image_file_id`, and the kind of file for `file_id`. */
export function label(field: Field): string {
  const bare = field.name.replace(/_?(file_ids?|asset_id)$/, "").replace(/^input_?/, "");
  const named = KIND_LABELS[field.kind];
  if (named) return named;
  if (bare.endsWith("_seconds")) return `${sentence(bare.replace(/_seconds$/, ""))} (seconds)`;
  const [one, many] = MEDIA[field.media ?? ""] ?? ["File", "Files"];
  const isMany = field.kind === "files";
  if (isMany && (bare === "" || bare === field.media)) return many;
  return bare === "" ? one : sentence(bare);
}

/** What to do, for kinds whose control does not show it. */
const HELP: { readonly [It in Kind]?: string } = {
  segments: "Each part becomes a video of its own; what is between them is left out.",
  page_range: "The result has them in this order, and a page may come more than once.",
  volume: "1 and 0dB leave the sound as it is.",
};

export function help(field: Field): string | undefined {
  return HELP[field.kind];
}

/** A wire name as a phrase: "Insufficient credits" for `insufficient_credits`. */
export function sentence(name: string): string {
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A time left as `about 40 s` or `about 2 min`, or with units to be read aloud as `about 40 seconds`. */
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
  const step = Math.min(Math.floor(Math.log10(Math.max(size, 1)) / 3), UNITS.length - 1);
  const value = size / 1000 ** step;
  return `${value.toFixed(step > 0 && value < 10 ? 1 : 0)} ${UNITS[step]}`;
}

/** Milliseconds as `4 s`, `2:05` or `1:02:05`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const two = (it: number) => String(Math.floor(it) % 60).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? `${hours}:${two(seconds / 60)}:${two(seconds)}` : `${Math.floor(seconds / 60)}:${two(seconds)}`;
}
