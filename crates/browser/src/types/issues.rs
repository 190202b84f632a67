//! What is wrong with a request.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const ISSUES: &str = r#"
/** One part of a request that is not valid, or doubtful. */
export interface Issue {
  /** Where it is, such as `prompt` or `segments[1].end_time`; empty for the request itself. */
  readonly path: string;
  /** Why it is not valid, for your code. */
  readonly reason: IssueReason;
  /** What is wrong and what would be right, in English. It never repeats the value. */
  readonly message: string;
  /**
   * `error` stops the request. `warning` does not: the media service's documentation leaves it open. Absent in an issue of
   * the media service's own, which stopped the request.
   */
  readonly severity?: "error" | "warning";
}
"#;
