import type { Price } from "../forms/price.js";

/**
 * Formats credits, such as `4 credits` or `2.5 emulated credits`.
 *
 * @param isEmulated - True if an emulator did the work, so that nothing was charged.
 */
export function formatCredits(credits: number, isEmulated = false): string {
  const amount = credits.toLocaleString("en", { maximumFractionDigits: 2 });
  const unit = credits === 1 ? "credit" : "credits";
  return `${amount} ${isEmulated ? "emulated " : ""}${unit}`;
}

/** Formats a price of `mediagate/forms`, such as `10 credits per second`. */
export function formatPrice({ credits, per }: Price): string {
  const text = formatCredits(credits);
  return per === "second" ? `${text} per second` : text;
}

const UNITS = ["B", "kB", "MB", "GB"];

/** Formats a number of bytes, such as `1.2 MB`. */
export function formatBytes(size: number): string {
  const step = Math.min(
    Math.floor(Math.log10(Math.max(size, 1)) / 3),
    UNITS.length - 1,
  );
  const value = size / 1000 ** step;
  return `${value.toFixed(step > 0 && value < 10 ? 1 : 0)} ${UNITS[step]}`;
}

/** Formats a duration in milliseconds as `4 s`, `2:05` or `1:02:05`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const two = (part: number) => String(Math.floor(part) % 60).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return hours > 0
    ? `${hours}:${two(seconds / 60)}:${two(seconds)}`
    : `${Math.floor(seconds / 60)}:${two(seconds)}`;
}

/**
 * Formats the seconds of `timeLeft` as `about 40 s`, and less than ten as `a few seconds`.
 *
 * @param units - `spoken` for `about 40 seconds`, such as for a screen reader.
 */
export function formatTimeLeft(
  seconds: number,
  units: "short" | "spoken" = "short",
): string {
  if (seconds < 10) return "a few seconds";
  const fives = Math.round(seconds / 5) * 5;
  const isShort = units === "short";
  if (fives < 60) return `about ${fives} ${isShort ? "s" : "seconds"}`;
  const minutes = Math.round(seconds / 60);
  const word = minutes === 1 ? "minute" : "minutes";
  return `about ${minutes} ${isShort ? "min" : word}`;
}
