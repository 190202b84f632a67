/** Texts for people: names of fields, descriptions of error codes, sizes and times. */
import type { ErrorCode } from "mediagate";
import type { Field } from "./catalogue";

/** For each error code a heading and, if there is something to do about it, a remedy. */
const CODES: { readonly [Code in ErrorCode | "unknown_task"]?: readonly [heading: string, remedy?: string] } = {
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
  unknown_task: ["The gateway has no such task", "It may belong to another session. Remove it from the list."],
  task_failed: ["The task failed"],
  task_expired: ["The task expired", "Run it again."],
};

export function describeCode(code: string): { heading: string; remedy: string | undefined } {
  const [heading, remedy] = CODES[code as ErrorCode] ?? [sentence(code)];
  return { heading, remedy };
}

/** The label of the action that repeats a create whose outcome is unknown. */
export const ASK_AGAIN = "Ask again";

/** Why it is unknown whether a create made a task. */
const UNKNOWN = {
  client: `“${ASK_AGAIN}” creates no second task: it shows the one that was created, or creates it now.`,
  gateway: "The gateway does not know either. Whether to run a new task is your choice.",
  expired: "The gateway remembers a request for a day, which is over. A new task may cost a second time.",
  unstored: "This browser did not store the request. A new task may cost a second time.",
};
export type UnknownReason = keyof typeof UNKNOWN;

export function describeUnknown(reason: UnknownReason): { heading: string; remedy: string } {
  return { heading: "It is unknown whether a task was created", remedy: UNKNOWN[reason] };
}

const MEDIA: Record<string, string> = { image: "Image", video: "Video", audio: "Audio", pdf: "PDF" };

/** The label of a field: "Source image" for `source_image_file_id`, and the kind of file for `file_id`. */
export function label(field: Field): string {
  const bare = field.name.replace(/_?(file_ids?|asset_id)$/, "").replace(/^input_?/, "");
  if (bare.endsWith("_seconds")) return `${sentence(bare.replace(/_seconds$/, ""))} (seconds)`;
  if (bare !== "") return sentence(bare);
  const medium = MEDIA[field.media ?? ""] ?? "File";
  return field.kind === "files" ? `${medium}s` : medium;
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
