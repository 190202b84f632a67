/** The chosen capability, which is in the URL's hash, so that it can be linked to and survives a reload. */
import { computed, signal } from "@preact/signals";
import { type Capability, capabilities, findCapability } from "./catalogue";

/** The form on which the page opens: the first one that needs neither a file nor an asset. */
const START = capabilities.find(({ fields }) =>
  fields.every(
    ({ required, media, category }) => !required || !(media || category),
  ),
);

/** The id of the heading above the form. */
export const HEADING = "form-heading";
/** The ids of the form, and of the filter of the capabilities. */
export const FORM = "form";
export const FILTER = "filter";

/** The name of a capability; after a `?` values for its form may follow, see `link.ts`. */
const hash = signal(nameInHash());
addEventListener("hashchange", () => {
  hash.value = nameInHash();
  focusHeading();
});

function nameInHash(): string {
  return location.hash.slice(1).split("?", 1)[0] ?? "";
}

/** The capability in the URL, or a default one. */
export const chosen = computed(
  () => findCapability(hash.value) ?? START ?? capabilities[0],
);

/** Shows a capability's form, and moves the focus to its heading. */
export function go(capability: Capability): void {
  location.hash = capability.name;
  focusHeading();
}

/** For a link to a capability: the URL changes, and with it the focus, for another capability only. */
export function focusIfChosen(capability: Capability): void {
  if (chosen.value === capability) focusHeading();
}

/** Moves the focus to the heading above the form, once that is rendered: the next Tab is then in the form. */
export function focusHeading(): void {
  requestAnimationFrame(() => document.getElementById(HEADING)?.focus());
}
