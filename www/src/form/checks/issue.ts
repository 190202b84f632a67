/** Issues of the page, in the form of the validator's issues. */
import type { Issue } from "mediagate";

type Reason = Issue["reason"];

/** Returns an issue that the media service would refuse. The request is not sent. */
export function error(path: string, reason: Reason, message: string): Issue {
  return { path, reason, message, severity: "error" };
}

/** Returns an issue that the media service may refuse. The request is sent. */
export function doubt(path: string, reason: Reason, what: string): Issue {
  return warning(path, reason, `${what}; the media service may refuse it`);
}

/** Returns an issue that a person may not expect. The request is sent. */
export function warning(path: string, reason: Reason, message: string): Issue {
  return { path, reason, message, severity: "warning" };
}

/** Merges the validator's issues with known issues, which say more if both concern one value. */
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
