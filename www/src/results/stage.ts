import { computed, signal } from "@preact/signals";
import type { Entry } from "../tasks/entry";
import { entries } from "../tasks/store";
import { type Loadable, loadables } from "./output";

export interface StageItem {
  id: string;
  entry: Entry;
  output: Loadable;
}

export const STAGE_HEADING = "stage-heading";

/** The items of each entry. An unchanged entry keeps its items, so that nothing renders again. */
const cached = new WeakMap<Entry, readonly StageItem[]>();

export function itemsOf(entry: Entry): readonly StageItem[] {
  const items =
    cached.get(entry) ??
    loadables(entry)
      .filter(({ kind }) => kind !== undefined)
      .map((output, index) => ({ id: `${entry.key}-${index}`, entry, output }));
  cached.set(entry, items);
  return items;
}

export const items = computed(() => entries.value.flatMap(itemsOf));

const chosen = signal<string | undefined>(undefined);

export const current = computed(
  () => items.value.find((item) => item.id === chosen.value) ?? items.value[0],
);

/** The number of results that arrived on the open page. The stage comes into view with each. */
export const endings = signal(0);

export function choose({ id }: StageItem): void {
  chosen.value = id;
}

export function show(item: StageItem): void {
  choose(item);
  const heading = document.getElementById(STAGE_HEADING);
  heading?.focus({ preventScroll: true });
  heading?.closest("section")?.scrollIntoView({ block: "nearest" });
}
