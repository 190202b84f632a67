import type { Issue } from "../types/issues.js";
import { error } from "./issue.js";
import { formatTime, parseTime } from "./time.js";

/** Returns the issues of the parts. `length` is the video's, in seconds. */
export function checkSegments(
  path: string,
  segments: readonly unknown[],
  length: number,
): Issue[] {
  return segments.flatMap((segment, index) =>
    checkSegment(`${path}[${index}]`, segment, length),
  );
}

function checkSegment(path: string, segment: unknown, length: number): Issue[] {
  const { start_time, end_time } = (segment ?? {}) as Record<string, unknown>;
  // Times are whole seconds, so the last second of the video counts as whole.
  const end = Math.ceil(length);
  if (isTime(start_time, (seconds) => seconds >= length)) {
    const message = `is not before the end of the video, ${formatTime(end)}; give an earlier time`;
    return [error(`${path}.start_time`, "out_of_range", message)];
  }
  if (!isTime(end_time, (seconds) => seconds > end)) return [];
  const after = `is after the end of the video, ${formatTime(end)}`;
  const message = `${after}; give that time or an earlier one`;
  return [error(`${path}.end_time`, "out_of_range", message)];
}

function isTime(time: unknown, test: (seconds: number) => boolean): boolean {
  const seconds = typeof time === "string" ? parseTime(time) : undefined;
  return seconds !== undefined && test(seconds);
}
