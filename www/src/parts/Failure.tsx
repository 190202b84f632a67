/** An error for a person: what happened, what to do, and the ids to quote in a request for help. */
import { TriangleAlert } from "lucide";
import { isMediagateError } from "mediagate";
import { describeCode, describeUnknown, sentence, type UnknownReason } from "../words";
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

export function toShownError(failure: unknown): ShownError {
  if (!isMediagateError(failure)) {
    return { code: "unexpected_error", message: failure instanceof Error ? failure.message : String(failure) };
  }
  const { code, message, appCode, requestId, outcome, reason, details } = failure;
  // Where only the gateway's ledger could not be reached, a repetition may find the outcome there.
  const isRecorded = reason === "outcome_unknown" && details?.cause !== "ledger";
  const unknown = isRecorded ? "gateway" : "client";
  return { code, message, appCode, requestId, unknown: outcome === "unknown" ? unknown : undefined };
}

export function Failure({ of }: { of: ShownError }) {
  const { heading, remedy } = of.unknown ? describeUnknown(of.unknown) : describeCode(of.code);
  const facts = [
    of.code,
    of.appCode === undefined ? "" : `code ${of.appCode}`,
    of.requestId ? `request ${of.requestId}` : "",
  ];
  return (
    <div class="failure" role="alert" data-code={of.code}>
      <Icon of={TriangleAlert} />
      <div>
        <strong>{heading}</strong>
        {sentence(of.message) !== sentence(of.code) && <p>{of.message}</p>}
        {remedy && <p>{remedy}</p>}
        <p class="facts">{facts.filter(Boolean).join(" · ")}</p>
      </div>
    </div>
  );
}
