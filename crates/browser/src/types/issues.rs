//! What is wrong with a request.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const ISSUES: &str = r#"
/**
 * Why a part of a request is not valid.
 *
 * | Reason | Meaning | What to do |
 * | --- | --- | --- |
 * | `missing` | A required field is absent, or none of several fields is present. | Have the user enter it. |
 * | `empty` | A string, a list or a file is empty. | Have the user enter a value. |
 * | `unknown_field` | The capability has no such field. As a warning: the name is near that of one. | Correct its name; `message` may suggest one. |
 * | `wrong_type` | The value, or the file, is of another type. | Pass the type that `message` names. |
 * | `out_of_range` | A number has a fraction, or is too small or too large. | Have the user enter a value within the bounds. |
 * | `malformed` | A string is not in the expected format, such as `HH:MM:SS`. | Have the user enter the format that `message` names. |
 * | `order` | The end of a segment is before its start, or (as a warning) the same. | Have the user correct one of the two. |
 * | `not_offered` | The model does not take this value. | Offer those that `message` lists. |
 * | `reference_media` | The model does not take references of this kind. | Choose another model, or leave them out. |
 * | `asset_category` | The asset is no avatar, or no voice, where one is needed. | Choose another asset. |
 * | `unknown_id` | This user has no such file or asset. | Upload the file again, or choose another asset. |
 * | any other | A reason of a newer gateway. | Show `message`. |
 */
export type IssueReason =
  | "missing"
  | "empty"
  | "unknown_field"
  | "wrong_type"
  | "out_of_range"
  | "malformed"
  | "order"
  | "not_offered"
  | "reference_media"
  | "asset_category"
  | "unknown_id"
  | (string & {});

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
