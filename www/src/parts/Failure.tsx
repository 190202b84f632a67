/** An error in a person's words: what happened, what to do, and the ids for a request for help. */
import { TriangleAlert } from "lucide";
import { isMediagateError } from "mediagate";
import { UnusableResult } from "../results/reference";
import { asSentence, sentence } from "../words";
import {
  describeAddress,
  describeCode,
  describeResult,
  describeUnknown,
  TELLING_REASONS,
  type UnknownReason,
} from "../words/errors";
import { Icon } from "./Icon";

/** The shown parts of an error. They are stored with a task, so that they survive a reload. */
export interface ShownError {
  code: string;
  message: string;
  appCode?: number | undefined;
  requestId?: string | undefined;
  unknown?: UnknownReason | undefined;
}

/** The codes whose heading and remedy say more than the message. */
const EXPLAINED = new Set([
  ...["upstream_credentials", "aborted", "not_offered", "no_uploads"],
  "file_not_uploaded",
]);

const UNUSABLE = "unusable_result";
const UNUSABLE_ADDRESS = "unusable_address";

export function toShownError(failure: unknown): ShownError {
  if (failure instanceof UnusableResult)
    return { code: UNUSABLE, message: failure.message };
  // The browser's own functions reject with it, such as a wait for a lock.
  if (failure instanceof DOMException && failure.name === "AbortError")
    return { code: "aborted", message: "" };
  if (!isMediagateError(failure)) {
    return {
      code: "unexpected_error",
      message: failure instanceof Error ? failure.message : String(failure),
    };
  }
  const { appCode, requestId, outcome, reason, details } = failure;
  // A form shows this problem beside its field. A pipeline and a notice have no fields.
  const problem = reason?.startsWith("input_") && describeAddress(reason);
  if (problem) {
    const message = `It ${problem}`;
    return { code: UNUSABLE_ADDRESS, message, appCode, requestId };
  }
  const ofResult = describeResult(reason);
  const { message } = ofResult === undefined ? failure : { message: ofResult };
  const ownReason = TELLING_REASONS.has(reason ?? "") ? reason : undefined;
  const code = ofResult === undefined ? (ownReason ?? failure.code) : UNUSABLE;
  // If only the gateway's ledger was unreachable, a repetition may find the outcome there.
  const isRecorded =
    reason === "outcome_unknown" && details?.cause !== "ledger";
  const unknown = isRecorded ? "gateway" : "client";
  return {
    code,
    message,
    appCode,
    requestId,
    unknown: outcome === "unknown" ? unknown : undefined,
  };
}

interface FailureProps {
  error: ShownError;
  /** The name of the failed task, for a screen reader. */
  about?: string | undefined;
}

export function Failure({ error, about }: FailureProps) {
  return error.code === "aborted" && !error.unknown ? (
    <Cancelled />
  ) : (
    <Alert error={error} about={about} />
  );
}

function Cancelled() {
  return (
    <p class="failure cancelled" role="status" data-code="aborted">
      Cancelled. No task was created.
    </p>
  );
}

function Alert({ error, about }: FailureProps) {
  const { heading, remedy } = error.unknown
    ? describeUnknown(error.unknown)
    : describeCode(error.code);
  const isMessageShown =
    !error.unknown &&
    !EXPLAINED.has(error.code) &&
    sentence(error.message) !== sentence(error.code);
  // A refusal without a message of its own has the package's sentence, which ends with the remedy.
  const hasRemedy =
    isMessageShown &&
    error.appCode !== undefined &&
    error.code !== "invalid_input" &&
    error.code !== "content_refused" &&
    error.message.includes("; ");
  const facts = [
    error.code,
    error.appCode === undefined ? "" : `code ${error.appCode}`,
    error.requestId ? `request ${error.requestId}` : "",
  ];
  return (
    <div class="failure" role="alert" data-code={error.code}>
      <Icon icon={TriangleAlert} />
      <div>
        <strong>
          {about && <span class="unseen">{about}: </span>}
          {heading}
        </strong>
        {isMessageShown && <p>{asSentence(error.message)}</p>}
        {remedy && !hasRemedy && <p>{remedy}</p>}
        <p class="facts">To report this: {facts.filter(Boolean).join(" · ")}</p>
      </div>
    </div>
  );
}
