import type { Issue } from "mediagate";

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
