/** An error in a person's words: what happened, what to do, and the ids for a request for help. */
import { TriangleAlert } from "lucide";
import type { ErrorWords } from "mediagate/words";
import { UnusableResult } from "../results/reference";
import { describe } from "../words/errors";
import { Icon } from "./Icon";

/** The words of an error. They are stored with a task, so that they survive a reload. */
export type ShownError = Pick<ErrorWords, "code"> & Partial<ErrorWords>;

export function toShownError(failure: unknown): ErrorWords {
  return describe(
    failure instanceof UnusableResult
      ? { code: "unusable_result", message: failure.message }
      : failure,
  );
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
  const { code, heading, message, remedy, facts } = describe(error);
  return (
    <div class="failure" role="alert" data-code={code}>
      <Icon icon={TriangleAlert} />
      <div>
        <strong>
          {about && <span class="unseen">{about}: </span>}
          {heading}
        </strong>
        {message && <p>{message}</p>}
        {remedy && <p>{remedy}</p>}
        <p class="facts">To report this: {facts}</p>
      </div>
    </div>
  );
}
