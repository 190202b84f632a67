/** Whether the introduction is shown: until it is dismissed once, and again on request. */
import { signal } from "@preact/signals";

const KEY = "mediagate.playground.introduced";

export const introduction = signal(!isDismissed());

/** The ids of the introduction's heading and of the button that shows it again: each gets the focus from the other. */
export const INTRODUCTION = "introduction";
export const ABOUT = "about";

export function showIntroduction(): void {
  introduction.value = true;
  focus(INTRODUCTION);
}

export function dismissIntroduction(): void {
  introduction.value = false;
  focus(ABOUT);
  try {
    localStorage.setItem(KEY, "true");
  } catch {
    // Storage is full or forbidden: it is shown again on the next visit.
  }
}

function focus(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

function isDismissed(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}
