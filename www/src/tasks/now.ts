/** The current time, which ticks only while something runs and the page is visible. */
import { computed, effect, signal } from "@preact/signals";
import { visible } from "../parts/visible";
import { isRunning, pipelines } from "../pipelines/store";
import { isActive } from "./entry";
import { entries } from "./store";

const TICK_MS = 1000;

export const now = signal(Date.now());

const running = computed(
  () => entries.value.some(isActive) || pipelines.value.some(isRunning),
);

effect(() => {
  if (!running.value || !visible.value) return undefined;
  now.value = Date.now();
  const timer = setInterval(() => (now.value = Date.now()), TICK_MS);
  return () => clearInterval(timer);
});
