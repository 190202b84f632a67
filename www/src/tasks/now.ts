/** The time, for what counts seconds; it ticks only while something is running. */
import { effect, signal } from "@preact/signals";
import { isOver } from "./entry";
import { entries } from "./store";

const SECOND = 1000;

/** Milliseconds since the epoch. */
export const now = signal(Date.now());

effect(() => {
  if (!entries.value.some((it) => !isOver(it) && !it.paused)) return undefined;
  const timer = setInterval(() => (now.value = Date.now()), SECOND);
  return () => clearInterval(timer);
});
