/** An error for a person: what happened, what to do, and the ids to quote in a request for help. */
import { TriangleAlert } from "lucide";
import { isMediagateError } from "mediagate";
import { UnusableResult } from "../results/reference";
import { asSentence, sentence } from "../words";
import {
  describeAddress,
  describeCode,
  describeResult,
  describeUnknown,
  PIPELINE_REASONS,
  type UnknownReason,
} from "../words/errors";
import { Icon } from "./Icon";

/** The parts of an error that are shown; stored with a task, so that they survive a reload. */
export interface ShownError {
  code: string;
  message: string;
  appCode?: number | undefined;
  requestId?: string | undefined;
  /** Of a create whose outcome is unknown: why. */
  unknown?: UnknownReason | undefined;
}

/** Codes whose message is one sentence of the client or the gateway, which the heading and the remedy say better. */
const EXPLAINED = new Set(["upstream_credentials", "aborted"]);

const UNUSABLE = "unusable_result";
const UNUSABLE_ADDRESS = "unusable_address";

export function toShownError(failure: unknown): ShownError {
  if (failure instanceof UnusableResult)
    return { code: UNUSABLE, message: failure.message };
  // What a browser's own functions reject with, such as a lock that is waited for.
  if (failure instanceof DOMException && failure.name === "AbortError")
    return { code: "aborted", message: "" };
  if (!isMediagateError(failure)) {
    return {
      code: "unexpected_error",
      message: failure instanceof Error ? failure.message : String(failure),
    };
  }
  const { appCode, requestId, outcome, reason, details } = failure;
  // A form says it beside its field; a pipeline and a notice have none.
  const problem = reason?.startsWith("input_") && describeAddress(reason);
  if (problem) {
    const message = `It ${problem}`;
    return { code: UNUSABLE_ADDRESS, message, appCode, requestId };
  }
  const ofResult = describeResult(reason);
  const { message } = ofResult === undefined ? failure : { message: ofResult };
  const ownReason = PIPELINE_REASONS.has(reason ?? "") ? reason : undefined;
  const code = ofResult === undefined ? (ownReason ?? failure.code) : UNUSABLE;
  // Where only the gateway's ledger could not be reached, a repetition may find the outcome there.
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
  of: ShownError;
  /** The task that failed, for a screen reader: another one may be in view. */
  about?: string | undefined;
}

export function Failure({ of, about }: FailureProps) {
  return of.code === "aborted" && !of.unknown ? (
    <Cancelled />
  ) : (
    <Alert of={of} about={about} />
  );
}

/** A person's own wish is no error. */
function Cancelled() {
  return (
    <p class="failure cancelled" role="status" data-code="aborted">
      Cancelled. No task was created.
    </p>
  );
}

function Alert({ of, about }: FailureProps) {
  const { heading, remedy } = of.unknown
    ? describeUnknown(of.unknown)
    : describeCode(of.code);
  const facts = [
    of.code,
    of.appCode === undefined ? "" : `code ${of.appCode}`,
    of.requestId ? `request ${of.requestId}` : "",
  ];
  return (
    <div class="failure" role="alert" data-code={of.code}>
      <Icon of={TriangleAlert} />
      <div>
        <strong>
          {about && <span class="unseen">{about}: </span>}
          {heading}
        </strong>
        {!of.unknown &&
          !EXPLAINED.has(of.code) &&
          sentence(of.message) !== sentence(of.code) && (
            <p>{asSentence(of.message)}</p>
          )}
        {remedy && <p>{remedy}</p>}
        <p class="facts">To report this: {facts.filter(Boolean).join(" · ")}</p>
      </div>
    </div>
  );
}
