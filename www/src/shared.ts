/** Copies of constants of the core and of the gateway. No test compares them. */

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

/** The time that a gateway remembers the key of a create, in milliseconds; see docs/gateway.md. */
export const KEY_LIFETIME_MS = 86_400_000;
