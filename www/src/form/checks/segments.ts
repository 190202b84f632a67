import type { Issue } from "mediagate";
import { secondsOf, timeOf } from "../time";
import { error } from "./issue";

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
    const message = `is not before the end of the video, ${timeOf(end)}; give an earlier time`;
    return [error(`${path}.start_time`, "out_of_range", message)];
  }
  if (!isTime(end_time, (seconds) => seconds > end)) return [];
  const message = `is after the end of the video, ${timeOf(end)}; give that time or an earlier one`;
  return [error(`${path}.end_time`, "out_of_range", message)];
}

function isTime(time: unknown, test: (seconds: number) => boolean): boolean {
  const seconds = typeof time === "string" ? secondsOf(time) : undefined;
  return seconds !== undefined && test(seconds);
}
