/** The state of the introduction, which is shown until it is dismissed, and again on request. */
import { signal } from "@preact/signals";

const KEY = "mediagate.playground.introduced";

export const introduction = signal(!isDismissed());

/** The id of the introduction's heading, which gets the focus when the introduction is shown. */
export const INTRODUCTION = "introduction";
/** The id of the button that shows the introduction. It gets the focus when that is dismissed. */
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
    // If storage is full or forbidden, the next visit shows the introduction again.
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
