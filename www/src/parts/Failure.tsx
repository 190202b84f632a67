/** An error in words: what happened, what to do, and what to quote when asking for help. */
import { TriangleAlert } from "lucide";
import { isMediagateError } from "mediagate";
import { codeInWords, sentence } from "../words";
import { Icon } from "./Icon";

/** What is kept of an error to show it, also after a reload. */
export interface Shown {
  code: string;
  message: string;
  appCode?: number | undefined;
  requestId?: string | undefined;
  /** Whether nobody knows what the request has done. */
  unknown?: boolean | undefined;
}

export function shown(failure: unknown): Shown {
  if (!isMediagateError(failure)) {
    return { code: "unexpected_error", message: failure instanceof Error ? failure.message : String(failure) };
  }
  const { code, message, appCode, requestId, outcome } = failure;
  return { code, message, appCode, requestId, unknown: outcome === "unknown" || undefined };
}

export function Failure({ of }: { of: Shown }) {
  const { heading, remedy } = codeInWords(of.code);
  const facts = [of.code, of.appCode === undefined ? "" : `code ${of.appCode}`, of.requestId ? `request ${of.requestId}` : ""];
  return (
    <div class="failure" role="alert" data-code={of.code}>
      <Icon of={TriangleAlert} />
      <div>
        <strong>{heading}</strong>
        {sentence(of.message) !== sentence(of.code) && <p>{of.message}</p>}
        {remedy && <p>{remedy}</p>}
        {of.unknown && <p>Nobody knows whether a task was made: it may be, and may be charged.</p>}
        <p class="facts">{facts.filter(Boolean).join(" · ")}</p>
      </div>
    </div>
  );
}
