import type { IssueReason } from "../generated/capabilities.js";

/** One part of a request that is not valid, or doubtful. */
export interface Issue {
  /** The path of the part, such as `prompt` or `segments[1].end_time`; empty for the request. */
  readonly path: string;
  /** The reason, for your code. */
  readonly reason: IssueReason;
  /** The problem and its remedy, in English. It never repeats the value. */
  readonly message: string;
  /**
   * `error` stops the request. `warning` does not: the media service's documentation leaves it
   * open. Absent in an issue of the media service's own, which stopped the request.
   */
  readonly severity?: "error" | "warning" | undefined;
}
