/** The errors of tasks that failed or expired. */
import type { ShownError } from "../parts/Failure";

/** Returns the error of a task that failed or expired, with the message of its record. */
export function failureOf(
  state: string | undefined,
  raw: unknown,
): ShownError | undefined {
  if (state === "FAILED")
    return {
      code: "task_failed",
      message: messageOf(raw) ?? "The media service gave no reason.",
    };
  if (state === "EXPIRED")
    return {
      code: "task_expired",
      message: messageOf(raw) ?? "It was not finished in time.",
    };
  return undefined;
}

/** Finds the message in a task's record. */
function messageOf(raw: unknown): string | undefined {
  if (typeof raw === "string") return raw || undefined;
  if (typeof raw !== "object" || raw === null) return undefined;
  // The upstream does not document the member. These are the usual ones.
  const { error, message, error_message, reason } = raw as Record<
    string,
    unknown
  >;
  return (
    messageOf(error) ??
    [message, error_message, reason]
      .filter((text) => typeof text === "string")
      .find((text) => text !== "")
  );
}
