/** The parts of a video that a form keeps. */
import { formatTime, parseTime } from "mediagate/forms";

export interface Part {
  start_time: string;
  end_time: string;
}

/** The length of a new part in seconds, as of the documented default. */
const NEW_SECONDS = 5;

/**
 * Adds a part after the others, to the end of the video. If they reach that end, the last one is
 * cut in two. In a video of unknown length, the new part is as long as the last one.
 *
 * @param length - The length of the video in seconds; 0 if it is unknown.
 */
export function withNewPart(parts: readonly Part[], length: number): Part[] {
  const last = parts.at(-1);
  const { from, to } = (last && secondsOf(last)) ?? { from: 0, to: 0 };
  const end = Math.max(0, ...parts.map((part) => secondsOf(part)?.to ?? 0));
  if (length === 0)
    return [...parts, partOf(end, end + (to - from || NEW_SECONDS))];
  if (end < length) return [...parts, partOf(end, length)];
  const middle = Math.floor((from + to) / 2);
  const isDivisible = from < middle && to <= length;
  return isDivisible
    ? [...parts.slice(0, -1), partOf(from, middle), partOf(middle, to)]
    : [...parts, partOf(0, length)];
}

/** Returns the times of a part in seconds; `undefined` if it does not end after its start. */
function secondsOf({ start_time, end_time }: Part) {
  const from = parseTime(start_time);
  const to = parseTime(end_time);
  return from !== undefined && to !== undefined && from < to
    ? { from, to }
    : undefined;
}

function partOf(from: number, to: number): Part {
  return { start_time: formatTime(from), end_time: formatTime(to) };
}
