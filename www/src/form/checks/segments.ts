/** The parts of a video, against its length. */
import type { Issue } from "mediagate";
import { secondsOf, timeOf } from "../time";
import { error } from "./issue";

/** `length` is in seconds. Times are whole seconds, so the video's last one counts as whole. */
export function checkSegments(
  path: string,
  segments: readonly unknown[],
  length: number,
): Issue[] {
  return segments.flatMap((it, index) =>
    checkSegment(`${path}[${index}]`, it, length),
  );
}

function checkSegment(path: string, segment: unknown, length: number): Issue[] {
  const { start_time, end_time } = (segment ?? {}) as Record<string, unknown>;
  const end = Math.ceil(length);
  if (after(start_time, (it) => it >= length)) {
    const message = `is not before the end of the video, at ${timeOf(end)}; give an earlier time`;
    return [error(`${path}.start_time`, "out_of_range", message)];
  }
  if (!after(end_time, (it) => it > end)) return [];
  const message = `is after the end of the video, at ${timeOf(end)}; give that time, or an earlier one`;
  return [error(`${path}.end_time`, "out_of_range", message)];
}

/** Whether it is a time, and passes the test, in seconds. */
function after(time: unknown, test: (seconds: number) => boolean): boolean {
  const seconds = typeof time === "string" ? secondsOf(time) : undefined;
  return seconds !== undefined && test(seconds);
}
