/**
 * The state of the introduction. A narrow page shows it until it is dismissed. A wide page has its
 * tiles below the stage, and shows the rest on request.
 */
import { signal } from "@preact/signals";
import { afterRender } from "../parts/afterRender";
import { readLocal, writeLocal } from "../parts/local";
import { wide } from "../parts/wide";

const DISMISSED = "introduced";

export const introduction = signal(
  readLocal(DISMISSED) === null && !wide.peek(),
);

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
  writeLocal(DISMISSED, "true");
}

function focus(id: string): void {
  afterRender(() => document.getElementById(id)?.focus());
}
