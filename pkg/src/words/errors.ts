import { type ErrorCode, isMediagateError, type KnownError } from "../error.js";
import type { TaskError, TaskState } from "../types/task.js";
import { asSentence, ownMember, phrase } from "./phrases.js";

/** The reasons of the gateway that say more than the code that they come with. */
type TellingReason =
  | "content_refused"
  | "file_not_uploaded"
  | "idempotency_key_reused"
  | "limit"
  | "no_uploads"
  | "not_offered"
  | "not_resumable"
  | "outputs_not_moved"
  | "pipeline_running"
  | "task_running"
  | "unknown_pipeline";

/** A code that has words: an {@link ErrorCode}, or one that says more than that. */
export type WordCode =
  | ErrorCode
  // Reasons of the gateway:
  | TellingReason
  | "unknown_task"
  // A result, or a file by its address, that can't be an input:
  | "unusable_address"
  | "unusable_result"
  // Nobody knows if a task was created:
  | "outcome_unknown"
  | "response_lost"
  // Not an error of this package:
  | "unexpected_error";

/** The words for a code. */
export interface CodeWords {
  readonly heading: string;
  /** What a person can do; absent if there is nothing. */
  readonly remedy?: string | undefined;
}

/** An app's own words by their codes. A heading or a remedy that is absent is the package's. */
export type OwnWords = {
  readonly [Code in WordCode | (string & {})]?: Partial<CodeWords> | undefined;
};

/**
 * An error in a person's words. It is plain data, which can be stored, cloned and sent. It has
 * neither the error's `cause` nor a URL's query, which may be a secret.
 */
export interface ErrorWords extends CodeWords {
  /** The code of the words: the error's `code`, or one that says more than that. */
  readonly code: WordCode | (string & {});
  /** What happened, as a sentence; absent if the heading says it all. */
  readonly message?: string | undefined;
  /** The number of the media service's code, such as 1401. */
  readonly appCode?: number | undefined;
  /** The gateway's id of the request. */
  readonly requestId?: string | undefined;
  /**
   * Present if nobody can tell whether a task was created; the heading and the remedy are those of
   * this code. After `response_lost`, a repetition with the error's `idempotencyKey` returns the
   * task, or makes it now. After `outcome_unknown`, the gateway cannot tell either.
   *
   * An app may replace it by a code of its own words, such as one for a key that is too old, and
   * pass the data to {@link describeError} again.
   */
  readonly unknown?:
    | "outcome_unknown"
    | "response_lost"
    | (string & {})
    | undefined;
  /** The code and the id in a line, for a request for help. */
  readonly facts: string;
}

type Known = Partial<ErrorWords> & Pick<ErrorWords, "code">;

type Row = readonly [heading: string, remedy?: string];

const CODES: { readonly [Code in Exclude<WordCode, TellingReason>]: Row } = {
  invalid_input: [
    "Something that was entered is wrong",
    "Correct it, then run it again.",
  ],
  unauthenticated: [
    "This page is signed out",
    "Reload the page to sign in again.",
  ],
  forbidden: [
    "This is not allowed here",
    "Only the operator of this gateway can allow it.",
  ],
  upstream_credentials: [
    "The media service refused this gateway's key",
    "Only the operator of this gateway can fix this, with the setting UPSTREAM_API_KEY, or with " +
      "the key of an upstream module.",
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
  invalid_argument: ["This page made a mistake", "Reload it."],
  token_failed: [
    "This page could not sign in",
    "Check your connection, then try again.",
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
  upload_failed: ["The file could not be uploaded", "Try again."],
  aborted: ["Cancelled"],
  timeout: ["That took too long", "Try again in a minute."],
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
  crashed: ["This page has failed", "Reload it."],
  unknown_task: [
    "The gateway has no such task",
    "It may belong to another session.",
  ],
  unusable_address: ["A file could not be loaded from its address"],
  unusable_result: [
    "The result could not be used",
    "Choose another result, or a file.",
  ],
  outcome_unknown: [
    "It is unknown whether a task was created",
    "The gateway does not know either. You decide if you run a new task.",
  ],
  response_lost: [
    "It is unknown whether a task was created",
    "The response was lost. The task may exist, and may have cost credits.",
  ],
  unexpected_error: ["Unexpected error"],
};

/** The words for reasons that say more than the code that they come with. */
const REASONS: { readonly [Reason in TellingReason]: Row } = {
  content_refused: [
    "The provider refuses this content",
    "Change the text or the files.",
  ],
  file_not_uploaded: [
    "A file is no longer in the storage",
    "Choose the file again, then run it again.",
  ],
  idempotency_key_reused: [
    "This was already sent, with other values",
    "Check your tasks: one may exist. Then run it again as a new task.",
  ],
  limit: [
    "This session allows less",
    "Change the marked fields, then run it again.",
  ],
  no_uploads: [
    "This gateway takes no files",
    "Only its operator can change this, with the setting UPLOAD_MODE.",
  ],
  not_offered: [
    "This gateway does not offer this",
    "Only its operator can change this.",
  ],
  not_resumable: [
    "There is nothing to resume",
    "The pipeline still runs, or all of its steps have succeeded.",
  ],
  outputs_not_moved: [
    "Steps cannot use each other's results here",
    "Run them one by one. Only the operator of this gateway can change this, with the setting " +
      "OUTPUT_HOSTS.",
  ],
  pipeline_running: [
    "The pipeline still runs",
    "Cancel it, or wait for its end. Then try again.",
  ],
  task_running: [
    "The task has not ended yet",
    "Wait for its end, then try again.",
  ],
  unknown_pipeline: [
    "The gateway has no such pipeline",
    "It may belong to another session.",
  ],
};

/** The names of the media service's codes that say that the input is wrong, by their numbers. */
const INPUT_CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ["12", "invalid_input"],
  ["1402", "asset_category_mismatch"],
  ["1403", "voice_asset_required"],
  ["1407", "asset_locked"],
  ["1408", "asset_expired"],
  ["1410", "invalid_model"],
]);

/** The codes after which the same input fails again. */
const OF_INPUT = new Set<string>([
  ...INPUT_CODES.values(),
  "content_refused",
  "unusable_address",
  "unusable_result",
]);

/** The codes whose heading and remedy say more than the message. */
const EXPLAINED = new Set<string>([
  "upstream_credentials",
  "aborted",
  "not_offered",
  "no_uploads",
  "file_not_uploaded",
  "idempotency_key_reused",
  "pipeline_running",
  "task_running",
]);

/** The codes whose message lists issues, or is the provider's. It never ends with the remedy. */
const WITHOUT_REMEDY = new Set<string>([
  "invalid_input",
  "content_refused",
  "limit",
]);

/** The reasons why a result can't be an input. */
const RESULTS = {
  unknown_task: "Its task is gone, or belongs to another session.",
  unknown_output: "Its task has no such result.",
  output_without_url: "It is an asset without a file.",
  output_without_length:
    "Its host does not say its size, so it cannot be moved.",
  output_unavailable: "It could not be loaded. Its link may have expired.",
  output_host_not_allowed: "This gateway moves nothing from its host.",
  transfer_stalled: "Moving it took too long. Try again.",
  transfer_interrupted: "Moving it was interrupted. Try again.",
  transfer: "Moving it was interrupted. Try again.",
};

/** The reasons why a file is not loaded from its address. */
const ADDRESSES = {
  unknown_path:
    "has an address, and this gateway loads none. Download the file, and choose it here.",
  input_host_not_allowed:
    "has an address that this gateway does not load. It loads https addresses of hosts that its " +
    "operator lists. Download the file, and choose it here.",
  input_needs_login:
    "has an address that needs a login. Download the file, and choose it here.",
  input_unavailable:
    "was not found at its address. Check the address, or choose a file.",
  input_unreachable:
    "was not loaded: the server at its address does not respond. Try again later, or choose a " +
    "file.",
  invalid_fields:
    "has an address that leads to a file of another kind, or to a page. Give the address of the " +
    "file itself.",
  file_too_large: "is empty at its address, or too large. Choose another.",
};

/**
 * Describes an error for the person at the page, in English.
 *
 * @param error - The error of a call, or plain data whose `code` is a text. The words of an earlier
 * error are such data: they are described again, with the present `words`.
 * @param words - The app's own words by their codes.
 */
export function describeError(
  error: unknown,
  words: OwnWords = {},
): ErrorWords {
  const { code, message = "", appCode, requestId, unknown } = read(error);
  const isMessageShown =
    unknown === undefined &&
    !EXPLAINED.has(code) &&
    message !== "" &&
    phrase(message) !== phrase(code);
  // A refusal without a message of its own has the package's sentence, which ends with a remedy.
  const hasRemedy =
    isMessageShown &&
    appCode !== undefined &&
    !WITHOUT_REMEDY.has(code) &&
    message.includes("; ");
  const { heading, remedy } = wordsOf(unknown ?? code, words);
  const facts = [
    code,
    appCode === undefined ? "" : `code ${appCode}`,
    requestId ? `request ${requestId}` : "",
  ];
  return {
    code,
    heading,
    message: isMessageShown ? asSentence(withoutQueries(message)) : undefined,
    remedy: hasRemedy ? undefined : remedy,
    appCode,
    requestId,
    unknown,
    facts: facts.filter(Boolean).join(" · "),
  };
}

/**
 * Describes why a task did not succeed, from its snapshot, its entry in the history or a pipeline's
 * step.
 *
 * @returns `undefined` if the task has not failed or expired.
 */
export function describeFailure(
  { state, error }: Failed,
  words?: OwnWords,
): ErrorWords | undefined {
  if (state !== "FAILED" && state !== "EXPIRED") return undefined;
  const [code, fallback] =
    state === "FAILED"
      ? ["task_failed", "The media service gave no reason."]
      : ["task_expired", "It was not finished in time."];
  const message = error?.message || fallback;
  const reason = error?.reason ?? "";
  return describeError(
    {
      code: Object.hasOwn(REASONS, reason)
        ? reason
        : (inputCodeOf(error?.code) ?? code),
      message,
    },
    words,
  );
}

/** Returns the name of a code that says that the input is wrong; `undefined` for another code. */
function inputCodeOf(code: unknown): ErrorCode | undefined {
  const names = [...INPUT_CODES.values()];
  return INPUT_CODES.get(String(code)) ?? names.find((name) => name === code);
}

/**
 * Returns true if an error is of the input, so that the same request would fail again. A page
 * then offers to change the input instead of a retry.
 *
 * @param error - The words of {@link describeError} or {@link describeFailure}.
 */
export function isOfInput({ code }: Pick<ErrorWords, "code">): boolean {
  return OF_INPUT.has(code);
}

interface Failed {
  readonly state?: TaskState | undefined;
  readonly error?: TaskError | undefined;
}

/**
 * Describes the problem of a file that an input gives by its address, or of a result, for a line at
 * its field: `was not found at its address. Check the address, or choose a file.` For a result, it
 * returns whole sentences.
 *
 * @param reason - The `reason` of the error.
 * @returns `undefined` for another reason.
 */
export function describeAddress(reason: string): string | undefined {
  return ownMember(ADDRESSES, reason) ?? ownMember(RESULTS, reason);
}

function wordsOf(code: string, own: OwnWords): CodeWords {
  const [heading = phrase(code), remedy] = rowOf(code) ?? [];
  return { heading, remedy, ...ownMember(own, code) };
}

function rowOf(code: string): Row | undefined {
  return ownMember(CODES, code) ?? ownMember(REASONS, code);
}

function read(error: unknown): Known {
  if (isMediagateError(error)) return readRefusal(error);
  const { name, code, message } = Object(error) as Record<string, unknown>;
  // The platform's own functions reject with it, such as a wait for a lock.
  if (name === "AbortError") return { code: "aborted" };
  // An error of another library may have a code, too, such as `ENOENT`.
  if (typeof code === "string" && !(error instanceof Error))
    return error as Known;
  const text = typeof error === "string" ? error : message;
  return {
    code: "unexpected_error",
    message: typeof text === "string" ? text : undefined,
  };
}

function readRefusal(error: KnownError): Known {
  const { message, appCode, requestId, reason = "" } = error;
  const known = { appCode, requestId, unknown: unknownOf(error) };
  const address = reason.startsWith("input_") && describeAddress(reason);
  if (address)
    return { ...known, code: "unusable_address", message: `It ${address}` };
  // The client begins the message with the path of a result in the input.
  if (reason === "unknown_task" && !/^\w+(\[\d+\])?: /.test(message))
    return { ...known, code: reason, message };
  const result = ownMember(RESULTS, reason);
  if (result) return { ...known, code: "unusable_result", message: result };
  const code = Object.hasOwn(REASONS, reason) ? reason : error.code;
  return { ...known, code, message };
}

function unknownOf({
  outcome,
  reason,
  details,
}: KnownError): ErrorWords["unknown"] {
  if (outcome !== "unknown") return undefined;
  // If only the gateway's ledger was unreachable, a repetition may find the outcome there.
  return reason === "outcome_unknown" && details?.cause !== "ledger"
    ? "outcome_unknown"
    : "response_lost";
}

/** Removes from the URLs in a text what may be a secret: a login, the query and the fragment. */
function withoutQueries(text: string): string {
  return text.replaceAll(/(\/\/)[^\s/?#]*@|(\S)[?#]\S+/g, "$1$2");
}
