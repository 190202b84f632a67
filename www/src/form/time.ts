export function secondsOf(time: string): number | undefined {
  const [, hours, minutes, seconds] =
    /^(\d\d):([0-5]\d):([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined
    ? undefined
    : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

export function timeOf(seconds: number): string {
  const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}
