/** The chosen capability, which is in the URL's hash, so that it can be linked to and survives a reload. */
import { computed, signal } from "@preact/signals";
import { type Capability, capabilities, findCapability } from "./catalogue";

const START = "image_to_video";

/** The id of the heading above the form. */
export const HEADING = "form-heading";

const hash = signal(location.hash.slice(1));
addEventListener("hashchange", () => {
  hash.value = location.hash.slice(1);
  focusHeading();
});

/** The capability in the URL, or a default one. */
export const chosen = computed(
  () => findCapability(hash.value) ?? findCapability(START) ?? capabilities[0],
);

/** Shows a capability's form, and moves the focus to its heading. */
export function go(capability: Capability): void {
  location.hash = capability.name;
  focusHeading();
}

/** Moves the focus to the heading above the form, once that is rendered: the next Tab is then in the form. */
export function focusHeading(): void {
  requestAnimationFrame(() => document.getElementById(HEADING)?.focus());
}
