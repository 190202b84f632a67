const ENDS = ["SUCCEEDED", "FAILED", "EXPIRED", "CANCELLED"];

/** Returns true for the last state of a task or a pipeline. */
export function hasEnded(state: string | undefined): boolean {
  return state !== undefined && ENDS.includes(state);
}
