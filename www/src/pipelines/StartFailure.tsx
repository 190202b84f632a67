/** Why the pipeline could not be started, and in which of its steps. */
import { type Issue, isMediagateError } from "mediagate";
import { findCapability } from "../catalogue";
import { Failure, type ShownError, toShownError } from "../parts/Failure";
import { issueName, issueText } from "../words/issues";
import { draft } from "./draft";
import { stepTitle } from "./names";
import { failure } from "./start";

export function StartFailure() {
  const { value } = failure;
  if (value === undefined) return draft.value.sent ? <Failure of={LEFT} /> : null;
  const issues: readonly Partial<Issue>[] = isMediagateError(value) ? value.issues : [];
  return (
    <>
      <Failure of={shown(value)} />
      <ul class="issues">
        {issues.map((it) => (
          <Line key={it.path} issue={it} />
        ))}
      </ul>
    </>
  );
}

/** What may have been started on an earlier page. */
const LEFT: ShownError = { code: "outcome_unknown", message: "", unknown: "start" };

function shown(error: unknown): ShownError {
  const of = toShownError(error);
  if (isMediagateError(error) && error.reason === "unknown_path") return { ...of, code: "no_pipelines" };
  return of.unknown ? { ...of, unknown: "start" } : of;
}

/** The path of an issue is `steps.NAME.input.FIELD`, or a part of that. */
function Line({ issue: { path, reason, message } }: { issue: Partial<Issue> }) {
  if (typeof path !== "string" || typeof message !== "string") return null;
  const [, name = "", field = ""] = /^steps\.([^.]+)(?:\.input\.?)?(.*)$/.exec(path) ?? [];
  const step = draft.value.steps.find((it) => it.name === name);
  const fields = findCapability(step?.capability ?? "")?.fields ?? [];
  const issue = { path: field, reason: reason ?? "", message } as Issue;
  return (
    <li>
      <b>{step ? stepTitle(step) : path}</b> {field && `${issueName(issue, fields)} `}
      {issueText(issue, fields)}
    </li>
  );
}
