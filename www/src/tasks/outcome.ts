/** The error of a task that failed or expired. */
import type { ShownError } from "../parts/Failure";

/** The error of a task that failed or expired, with the message of its record. */
export function failureOf(state: string, raw: unknown): ShownError | undefined {
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

/** The message in a task's record, which is not documented: these are the usual members. */
function messageOf(raw: unknown): string | undefined {
  if (typeof raw === "string") return raw || undefined;
  if (typeof raw !== "object" || raw === null) return undefined;
  const { error, message, error_message, reason } = raw as Record<
    string,
    unknown
  >;
  return (
    messageOf(error) ??
    ([message, error_message, reason].find(
      (it) => typeof it === "string" && it !== "",
    ) as string | undefined)
  );
}
