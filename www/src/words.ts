/** What a person reads: names of fields, codes and sizes. */
import type { Field } from "./catalogue";

/** Each error code as a heading and, where there is something to do about it, the remedy. */
const CODES: Record<string, [heading: string, remedy?: string]> = {
  invalid_input: ["The request is not valid", "Correct the fields that are marked."],
  unauthenticated: ["Not signed in", "The session was refused; reload the page to get a new one."],
  rate_limit: ["Too many requests", "Wait a moment, then try again."],
  server_error: ["The service failed", "Try again in a moment."],
  insufficient_credits: ["Not enough credits", "Top up the account behind this gateway."],
  asset_category_mismatch: ["The file or asset is of the wrong kind", "Choose one that fits this field."],
  voice_asset_required: ["A voice is needed", "Give the id of a voice asset."],
  provider_error: ["The model's provider failed", "Check before you try again."],
  provider_timeout: ["The model's provider took too long", "Check before you try again."],
  asset_locked: ["The asset is locked", "Choose another asset."],
  asset_expired: ["The asset has expired", "Choose another asset."],
  paid_plan_required: ["A paid plan is needed", "Choose another model, or upgrade the account behind this gateway."],
  invalid_model: ["The model is unknown or not available", "Leave the model empty to use the default."],
  network: ["The gateway cannot be reached", "Check the connection, then try again."],
  aborted: ["Cancelled"],
  timeout: ["That took too long", "Try again in a moment."],
  unreadable: ["The gateway gave no readable answer", "Try again in a moment."],
  load_failed: ["The client could not be loaded"],
  upload_failed: ["The file could not be uploaded", "Try again; the fields keep what you entered."],
  lost: ["Nobody knows whether this task was made", "It may be, and may be charged; run it again if you need it."],
  task_failed: ["The task failed"],
  task_expired: ["The task expired", "Run it again."],
};

export function codeInWords(code: string): { heading: string; remedy: string | undefined } {
  const [heading, remedy] = CODES[code] ?? [sentence(code)];
  return { heading, remedy };
}

const MEDIA: Record<string, string> = { image: "Image", video: "Video", audio: "Audio", pdf: "PDF" };

/** The label of a field: `source_image_file_id` is "Source image", and `file_id` is what the file holds. */
export function label(field: Field): string {
  const bare = field.name.replace(/_?(file_ids?|asset_id)$/, "").replace(/^input_?/, "");
  if (bare.endsWith("_seconds")) return `${sentence(bare.replace(/_seconds$/, ""))} (seconds)`;
  if (bare !== "") return sentence(bare);
  const medium = MEDIA[field.media ?? ""] ?? "File";
  return field.kind === "files" ? `${medium}s` : medium;
}

/** A wire name as words: `insufficient_credits` is "Insufficient credits". */
export function sentence(name: string): string {
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
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
