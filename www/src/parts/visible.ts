/** The visibility of the page: false in a background tab. */
import { signal } from "@preact/signals";

export const visible = signal(!document.hidden);

document.addEventListener(
  "visibilitychange",
  () => (visible.value = !document.hidden),
);
