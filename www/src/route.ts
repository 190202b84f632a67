/** The chosen capability, which is in the URL's hash, so that it can be linked to and survives a reload. */
import { computed, signal } from "@preact/signals";
import { type Capability, capabilities, findCapability } from "./catalogue";

const START = "image_to_video";

const hash = signal(location.hash.slice(1));
addEventListener("hashchange", () => (hash.value = location.hash.slice(1)));

/** The capability in the URL, or a default one. */
export const chosen = computed(() => findCapability(hash.value) ?? findCapability(START) ?? capabilities[0]);

/** Shows a capability's form, and moves the focus to its heading. */
export function go(capability: Capability): void {
  location.hash = capability.name;
  // The call comes from the list of tasks, which on a narrow screen is below the form.
  requestAnimationFrame(() => document.querySelector<HTMLElement>("h1")?.focus());
}
