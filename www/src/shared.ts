/** Constants of the core and of the gateway, which the playground repeats. No test compares them. */

/** The kinds of fields. */
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

/** The states of a task that is over. */
export const TERMINAL_STATES = ["SUCCEEDED", "FAILED", "EXPIRED"] as const;

/** For how many milliseconds the gateway remembers the key of a create: a day; see docs/gateway.md. */
export const KEY_LIFETIME_MS = 86_400_000;
