/**
 * `mediagate/words` has the words of an interface for the package's errors, issues, fields, states
 * and amounts, in English only. An app can replace the words of a code by its own. An app in
 * another language uses only the codes. The entry loads no WebAssembly.
 *
 * @module words
 */

export {
  formatBytes,
  formatCredits,
  formatDuration,
  formatPrice,
  formatTimeLeft,
} from "./words/amounts.js";
export {
  type CodeWords,
  describeAddress,
  describeError,
  describeFailure,
  type ErrorWords,
  isOfInput,
  type OwnWords,
  type WordCode,
} from "./words/errors.js";
export {
  describeIssue,
  type FieldInfo,
  fieldLabel,
  type IssueOptions,
  type IssueWords,
  isIssue,
} from "./words/issues.js";
export { asSentence } from "./words/phrases.js";
export { stateWord, stepWord } from "./words/states.js";
