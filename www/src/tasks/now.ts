/** The current time, for elapsed seconds; it ticks only while a task is running. */
import { computed, effect, signal } from "@preact/signals";
import { isOver } from "./entry";
import { entries } from "./store";

const TICK_MS = 1000;

/** Milliseconds since the epoch. */
export const now = signal(Date.now());

const running = computed(() => entries.value.some((it) => !isOver(it.state) && !it.paused));

effect(() => {
  if (!running.value) return undefined;
  const timer = setInterval(() => (now.value = Date.now()), TICK_MS);
  return () => clearInterval(timer);
});
