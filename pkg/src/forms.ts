/**
 * `mediagate/forms` has what a form needs beyond the validator: it compares an input with its files
 * and its model, and reads and writes the text of page ranges and times. It loads no WebAssembly.
 *
 * The fields are those of a capability in `mediagate/catalogue.json`.
 *
 * @module forms
 */

export { type FormField, sourceField } from "./forms/fields.js";
export {
  checkFiles,
  type FileToInspect,
  filesToInspect,
} from "./forms/files.js";
export { checkModel } from "./forms/model.js";
export { pagesIn, tidyPages, togglePage } from "./forms/pageRange.js";
export { formatTime, parseTime } from "./forms/time.js";
export type { FileFacts } from "./types/facts.js";
export type { Issue } from "./types/issues.js";
