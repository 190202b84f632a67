/** The chosen capability, in the URL's hash, so that it can be linked and survives a reload. */
import { computed, signal } from "@preact/signals";
import { type Capability, findCapability } from "./catalogue";
import { offered } from "./offers";
import { afterRender } from "./parts/afterRender";

/** The first form that needs neither a file nor an asset. The page opens with it. */
const start = computed(() =>
  offered.value.find(({ fields }) =>
    fields.every(
      ({ required, media, category }) => !required || !(media || category),
    ),
  ),
);

export const HEADING = "form-heading";
export const FORM = "form";
export const FILTER = "filter";

/** The name of a capability in the hash. Values may follow after a `?`; see `form/link.ts`. */
const hash = signal(nameInHash());
addEventListener("hashchange", () => {
  // After `go`, the page has shown the form already, and the focus may be elsewhere since.
  if (hash.peek() !== nameInHash()) show(nameInHash());
});

function nameInHash(): string {
  return location.hash.slice(1).split("?", 1)[0] ?? "";
}

/** The capability in the URL, which the gateway may not offer, or the default. */
export const chosen = computed(
  () => findCapability(hash.value) ?? start.value ?? offered.value[0],
);

export function go({ name }: Capability): void {
  location.hash = name;
  show(name);
}

/** Handles a click on a link to a capability. The event `hashchange` would come after a next key. */
export function follow(event: MouseEvent, capability: Capability): void {
  // The browser opens the link elsewhere, such as in a new tab.
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(capability);
}

function show(name: string): void {
  hash.value = name;
  focusHeading();
}

/** Moves the focus to the heading above the form, so that the next Tab leads into the form. */
export function focusHeading(): void {
  afterRender(() => document.getElementById(HEADING)?.focus());
}
