/** Parses a time in a video, such as `00:01:30`, to seconds; `undefined` for any other text. */
export function parseTime(text: string): number | undefined {
  const [, hours, minutes, seconds] =
    /^(\d\d):([0-5]\d):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined
    ? undefined
    : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** Formats seconds as a time in a video, such as `00:01:30`. Parts of a second are cut off. */
export function formatTime(seconds: number): string {
  const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}
