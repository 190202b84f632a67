/** The capabilities that the gateway offers. The page shows no others. */
import { computed, signal } from "@preact/signals";
import { type Capability, capabilities, findCapability } from "./catalogue";
import { client } from "./client";

/** The names of the offered capabilities; `undefined` until the gateway has listed them. */
const names = signal<ReadonlySet<string> | undefined>(undefined);

/** False until the gateway has listed its offers, or could not. */
export const areOffersKnown = signal(false);

let isLoading = false;

/** Loads the offers once. */
export function loadOffers(): void {
  if (isLoading) return;
  isLoading = true;
  void read()
    .catch(() => {
      // An older gateway lists none, and offers the documented capabilities. The next call tries
      // again.
      isLoading = false;
    })
    .finally(() => (areOffersKnown.value = true));
}

async function read(): Promise<void> {
  const media = await client();
  const offers = await media.capabilities();
  names.value = new Set(offers.capabilities.map((offer) => offer.capability));
}

/** Returns true if the gateway offers a capability. Without a list, no extension is offered. */
export function isOffered({ name, extension }: Capability): boolean {
  return names.value?.has(name) ?? !extension;
}

/** The offered capabilities, in the catalogue's order. */
export const offered = computed(() => capabilities.filter(isOffered));

/** Returns the capability with a name, if the gateway offers it. */
export function findOffered(name: string): Capability | undefined {
  const found = findCapability(name);
  return found && isOffered(found) ? found : undefined;
}
