import type { Issue } from "../types/issues.js";

/**
 * Adds the issues of {@link checkFiles} and {@link checkModel} to those of the validator. They
 * replace the validator's issue of the same value, unless that is an error and they only warn.
 *
 * @param issues - The issues of `validate`.
 * @param known - The issues of the checks, in one list.
 */
export function mergeIssues(
  issues: readonly Issue[],
  known: readonly Issue[],
): Issue[] {
  const isSaid = ({ path, severity }: Issue) =>
    known.some(
      (other) =>
        other.path === path &&
        (severity === "warning" || other.severity === "error"),
    );
  return [...issues.filter((issue) => !isSaid(issue)), ...known];
}
