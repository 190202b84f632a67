import type { ErrorCode } from "mediagate";
import { sentence } from ".";

/** The codes of the page. Some of them are reasons of the gateway. */
type PageCode =
  | "unknown_task"
  | "unknown_pipeline"
  | "not_resumable"
  | "outputs_not_moved"
  | "no_pipelines"
  | "already_started"
  | "content_refused"
  | "not_offered"
  | "no_uploads"
  | "file_not_uploaded"
  | "unusable_result"
  | "unusable_address";

/** The reasons of refusals that say more than their codes. */
export const TELLING_REASONS: ReadonlySet<string> = new Set<PageCode>([
  "content_refused",
  "not_offered",
  "no_uploads",
  "file_not_uploaded",
  "unknown_pipeline",
  "not_resumable",
  "outputs_not_moved",
]);

const CODES: {
  readonly [Code in ErrorCode | PageCode]: readonly [
    heading: string,
    remedy?: string,
  ];
} = {
  invalid_input: [
    "Something in the form is wrong",
    "Correct the marked fields, then run it again.",
  ],
  unauthenticated: [
    "This page is signed out",
    "Reload the page to sign in again. What you entered stays.",
  ],
  forbidden: [
    "This is not allowed here",
    "Only the operator of this gateway can allow it.",
  ],
  upstream_credentials: [
    "The media service refused this gateway's key",
    "Only the operator of this gateway can fix this, with the setting UPSTREAM_API_KEY, or with the key of an upstream module. What you entered stays.",
  ],
  rate_limit: ["Too many requests", "Wait a minute, then try again."],
  budget_exceeded: [
    "This gateway has reached its limit",
    "Its operator limits the number of tasks. Try again later.",
  ],
  server_error: ["The media service failed", "Try again in a minute."],
  insufficient_credits: [
    "The account has too few credits",
    "Only the owner of this gateway's account can add credits.",
  ],
  asset_category_mismatch: [
    "The file or asset is of the wrong kind",
    "Choose one that fits this field.",
  ],
  voice_asset_required: ["A voice is needed", "Enter the id of a voice."],
  provider_error: [
    "The model failed",
    "Check your tasks: one may exist. Then try again, or choose another model.",
  ],
  provider_timeout: [
    "The model took too long",
    "Check your tasks: one may exist. Then try again, or choose another model.",
  ],
  asset_locked: ["This asset is locked", "Choose another one."],
  asset_expired: ["This asset has expired", "Choose another one."],
  paid_plan_required: [
    "This model needs a paid plan",
    "Choose another model. Only the owner of this gateway's account can change the plan.",
  ],
  invalid_model: [
    "This model does not exist or is not available",
    "Leave the model empty to use the default.",
  ],
  unknown: ["The media service refused this", "Try again in a minute."],
  invalid_argument: [
    "This page made a mistake",
    "Reload it. What you entered stays.",
  ],
  token_failed: [
    "This page could not sign in",
    "Check your connection, then try again. What you entered stays.",
  ],
  not_loaded: ["This page is not ready yet", "Try again in a few seconds."],
  load_failed: [
    "A part of this page could not be loaded",
    "Check your connection, then connect again.",
  ],
  network: [
    "The gateway cannot be reached",
    "Check your connection, then try again.",
  ],
  unreadable: [
    "The gateway's response could not be read",
    "Try again in a minute.",
  ],
  upload_failed: [
    "The file could not be uploaded",
    "Try again. What you entered stays.",
  ],
  aborted: ["Cancelled"],
  timeout: ["That took too long", "Try again in a minute."],
  unknown_task: [
    "The gateway has no such task",
    "It may belong to another session. Remove it from the list.",
  ],
  unknown_pipeline: [
    "The gateway has no such pipeline",
    "It may belong to another session. Remove it from the list.",
  ],
  not_resumable: [
    "There is nothing to resume",
    "The pipeline still runs, or all of its steps have succeeded.",
  ],
  outputs_not_moved: [
    "Steps cannot use each other's results here",
    "Run them one by one. Only the operator of this gateway can change this, with the setting OUTPUT_HOSTS.",
  ],
  already_started: [
    "This pipeline was already started, with other files",
    "The started pipeline is in the list. Discard this one, or change it to start another.",
  ],
  no_pipelines: [
    "This gateway runs no pipelines",
    "Run the steps one by one: “Use in…” puts the result of a task into the next form.",
  ],
  content_refused: [
    "The provider refuses this content",
    "Change the text or the files.",
  ],
  not_offered: [
    "This gateway does not offer this",
    "Choose another form in the list.",
  ],
  no_uploads: [
    "This gateway takes no files",
    "Only its operator can change this, with the setting UPLOAD_MODE.",
  ],
  file_not_uploaded: [
    "A file is no longer in the storage",
    "Choose the file again, then run it again.",
  ],
  unusable_result: [
    "The result could not be used",
    "Choose another result, or a file.",
  ],
  unusable_address: ["A file could not be loaded from its address"],
  task_failed: ["The task failed"],
  task_expired: ["The task expired", "Run it again."],
  task_unfinished: [
    "The task has not ended yet",
    "It may still run. Reload the page later to read it again.",
  ],
  pipeline_failed: [
    "A step failed",
    "What succeeded stays. Resume it to run the failed step again.",
  ],
  pipeline_cancelled: [
    "The pipeline was stopped",
    "What succeeded stays. Resume it to go on.",
  ],
  crashed: [
    "This page has failed",
    "Reload it. Your tasks and what you entered stay.",
  ],
};

export function describeCode(code: string): {
  heading: string;
  remedy: string | undefined;
} {
  // A code may be any word of the upstream, such as `constructor`.
  const [heading, remedy] = Object.hasOwn(CODES, code)
    ? CODES[code as ErrorCode]
    : [sentence(code)];
  return { heading, remedy };
}

const RESULT_REASONS = new Map([
  ["unknown_task", "Its task is gone, or belongs to another session."],
  ["unknown_output", "Its task has no such result."],
  ["output_without_url", "It is an asset without a file."],
  [
    "output_without_length",
    "Its host does not say its size, so it cannot be moved.",
  ],
  ["output_unavailable", "It could not be loaded. Its link may have expired."],
  ["output_host_not_allowed", "This gateway moves nothing from its host."],
  ["transfer_stalled", "Moving it took too long. Try again."],
  ["transfer_interrupted", "Moving it was interrupted. Try again."],
  ["transfer", "Moving it was interrupted. Try again."],
]);

/** Explains why a result cannot be an input; `undefined` for another error. */
export function describeResult(reason: string | undefined): string | undefined {
  return RESULT_REASONS.get(reason ?? "");
}

const ADDRESS_REASONS = new Map([
  [
    "unknown_path",
    "has an address, and this gateway loads none. Download the file, and choose it here.",
  ],
  [
    "input_host_not_allowed",
    "has an address that this gateway does not load. It loads https addresses of hosts that its operator lists. Download the file, and choose it here.",
  ],
  [
    "input_needs_login",
    "has an address that needs a login. Download the file, and choose it here.",
  ],
  [
    "input_unavailable",
    "was not found at its address. Check the address, or choose a file.",
  ],
  [
    "input_unreachable",
    "was not loaded: the server at its address does not respond. Try again later, or choose a file.",
  ],
  [
    "invalid_fields",
    "has an address that leads to a file of another kind, or to a page. Give the address of the file itself.",
  ],
  ["file_too_large", "is empty at its address, or too large. Choose another."],
]);

/** Describes the problem of an address; `undefined` for another error. */
export function describeAddress(reason: string): string | undefined {
  return ADDRESS_REASONS.get(reason) ?? describeResult(reason);
}

export const ASK_AGAIN = "Ask again";

const UNKNOWN = {
  client: `“${ASK_AGAIN}” shows the task if it was created, or creates it now, but never twice.`,
  gateway:
    "The gateway does not know either. You decide if you run a new task.",
  expired:
    "The gateway remembers a request for only a day. A new task may cost credits a second time.",
  elsewhere:
    "The response was lost. The task may exist, and may have cost credits.",
  unstored:
    "This browser did not store the request. A new task may cost credits a second time.",
  start:
    "Run it again: that never starts a second one. If you change it first, it is another pipeline.",
};
export type UnknownReason = keyof typeof UNKNOWN;

export function describeUnknown(reason: UnknownReason): {
  heading: string;
  remedy: string;
} {
  const what =
    reason === "start" ? "the pipeline was started" : "a task was created";
  return { heading: `It is unknown whether ${what}`, remedy: UNKNOWN[reason] };
}
