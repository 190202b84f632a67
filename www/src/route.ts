/** The chosen capability lives in the address, so that it can be linked to and survives a reload. */
import { computed, signal } from "@preact/signals";
import { capabilities, findCapability, type Capability } from "./catalogue";

const START = "image_to_video";

const hash = signal(location.hash.slice(1));
addEventListener("hashchange", () => (hash.value = location.hash.slice(1)));

/** The capability that the address names, or the first one to show. */
export const chosen = computed(() => findCapability(hash.value) ?? findCapability(START) ?? capabilities[0]);

/** Shows a capability's form, from its beginning. */
export function go(capability: Capability): void {
  location.hash = capability.name;
  // One comes from the tasks: on a narrow screen from far below, and a screen reader from somewhere else.
  requestAnimationFrame(() => document.querySelector<HTMLElement>("h1")?.focus());
}
