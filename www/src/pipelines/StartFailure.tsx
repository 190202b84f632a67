import { type Issue, isMediagateError } from "mediagate";
import { describeIssue, isIssue } from "mediagate/words";
import { findCapability } from "../catalogue";
import { Failure, type ShownError, toShownError } from "../parts/Failure";
import { draft } from "./draft";
import { stepTitle } from "./names";
import { failedStart } from "./start";

export function StartFailure() {
  const { key, sent } = draft.value;
  const failed = failedStart.value?.key === key ? failedStart.value : undefined;
  if (!failed) return sent ? <Failure error={LEFT} /> : null;
  const { error } = failed;
  const shown = toStartError(error);
  return (
    <>
      <Failure error={shown} />
      {/* An earlier request may have started the pipeline, even if this one was refused. */}
      {sent && !shown.unknown && shown.code !== ALREADY_STARTED && (
        <Failure error={LEFT} />
      )}
      <ul class="issues">
        {isMediagateError(error) &&
          error.issues
            .filter(isIssue)
            .map((issue) => <IssueLine key={issue.path} issue={issue} />)}
      </ul>
    </>
  );
}

/** The error of a pipeline that an earlier page may have started. */
const LEFT: ShownError = {
  code: "outcome_unknown",
  unknown: "start",
};

const ALREADY_STARTED = "already_started";

const CODES = new Map<string | undefined, string>([
  ["unknown_path", "no_pipelines"],
  ["idempotency_key_reused", ALREADY_STARTED],
]);

function toStartError(error: unknown): ShownError {
  const shown = toShownError(error);
  const code = isMediagateError(error) ? CODES.get(error.reason) : undefined;
  if (code) return { ...shown, code };
  return shown.unknown ? { ...shown, unknown: "start" } : shown;
}

function IssueLine({ issue: { path, ...others } }: { issue: Issue }) {
  // The path is `steps.NAME.input.FIELD`, or the beginning of that.
  const [, name = "", field = ""] =
    /^steps\.([^.]+)(?:\.input\.?)?(.*)$/.exec(path) ?? [];
  const step = draft.value.steps.find((other) => other.name === name);
  const fields = findCapability(step?.capability ?? "")?.fields ?? [];
  const { subject, text } = describeIssue(
    { ...others, path: field },
    { fields },
  );
  return (
    <li>
      <b>{step ? stepTitle(step) : path}</b> {field && `${subject} `}
      {text}
    </li>
  );
}
