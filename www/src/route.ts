/** The chosen capability, in the URL's hash, so that it can be linked and survives a reload. */
import { computed, signal } from "@preact/signals";
import { type Capability, capabilities, findCapability } from "./catalogue";

/** The first form that needs neither a file nor an asset. The page opens with it. */
const START = capabilities.find(({ fields }) =>
  fields.every(
    ({ required, media, category }) => !required || !(media || category),
  ),
);

export const HEADING = "form-heading";
export const FORM = "form";
export const FILTER = "filter";

/** The name of a capability in the hash. Values may follow after a `?`; see `form/link.ts`. */
const hash = signal(nameInHash());
addEventListener("hashchange", () => {
  hash.value = nameInHash();
  focusHeading();
});

function nameInHash(): string {
  return location.hash.slice(1).split("?", 1)[0] ?? "";
}

/** The capability in the URL, or the default. */
export const chosen = computed(
  () => findCapability(hash.value) ?? START ?? capabilities[0],
);

/** Shows a capability's form, and moves the focus to its heading. */
export function go(capability: Capability): void {
  location.hash = capability.name;
  focusHeading();
}

/** Moves the focus for a link to the chosen capability. */
export function focusIfChosen(capability: Capability): void {
  // A link to another capability changes the hash, which moves the focus.
  if (chosen.value === capability) focusHeading();
}

/** Moves the focus to the heading above the form, so that the next Tab leads into the form. */
export function focusHeading(): void {
  requestAnimationFrame(() => document.getElementById(HEADING)?.focus());
}
