/** The time, for what counts seconds; it ticks only while something is running. */
import { computed, effect, signal } from "@preact/signals";
import { isOver } from "./entry";
import { entries } from "./store";

const SECOND = 1000;

/** Milliseconds since the epoch. */
export const now = signal(Date.now());

const running = computed(() => entries.value.some((it) => !isOver(it.state) && !it.paused));

effect(() => {
  if (!running.value) return undefined;
  const timer = setInterval(() => (now.value = Date.now()), SECOND);
  return () => clearInterval(timer);
});
