/** Issues in the form of the validator's. */
import type { Issue } from "mediagate";

type Reason = Issue["reason"];

/** What the media service would refuse, or could not do: it stops a request. */
export function error(path: string, reason: Reason, message: string): Issue {
  return { path, reason, message, severity: "error" };
}

/** What the media service may refuse; a request is sent. */
export function doubt(path: string, reason: Reason, what: string): Issue {
  return warning(path, reason, `${what}; the media service may refuse it`);
}

/** What a person may not expect; a request is sent. */
export function warning(path: string, reason: Reason, message: string): Issue {
  return { path, reason, message, severity: "warning" };
}

/** All issues, each once: of those about the same value the known ones say more than the validator. */
export function merged(
  issues: readonly Issue[],
  known: readonly Issue[],
): readonly Issue[] {
  const isSaid = ({ path, severity }: Issue) =>
    known.some(
      (other) =>
        other.path === path &&
        (severity === "warning" || other.severity === "error"),
    );
  return [...issues.filter((issue) => !isSaid(issue)), ...known];
}
