/** The capabilities that the gateway offers. The page shows no others. */
import { computed, signal } from "@preact/signals";
import { type Capability, capabilities, findCapability } from "./catalogue";
import { client } from "./client";

/** The names of the offered capabilities; `undefined` until the gateway has listed them. */
const names = signal<ReadonlySet<string> | undefined>(undefined);

/** The model id of a capability that the emulator serves because the upstream module lacks it. */
const EMULATOR = "emulator";
const emulated = signal<ReadonlySet<string>>(new Set());

/** False until the gateway has listed its offers, or could not. */
export const areOffersKnown = signal(false);

let isLoading = false;

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
  const nameOf = (offer: { capability: string }) => offer.capability;
  const isEmulated = (offer: (typeof offers.capabilities)[number]) =>
    offer.models.some((model) => model.model_id === EMULATOR);
  names.value = new Set(offers.capabilities.map(nameOf));
  emulated.value = new Set(offers.capabilities.filter(isEmulated).map(nameOf));
}

/** Returns the word for a capability that the document lacks, or that only the emulator serves. */
export function markOf({ name, extension }: Capability): string | undefined {
  if (emulated.value.has(name)) return EMULATOR;
  return extension ? "extension" : undefined;
}

/** Returns true if the gateway offers a capability. Without a list, no extension is offered. */
export function isOffered({ name, extension }: Capability): boolean {
  return names.value?.has(name) ?? !extension;
}

export const offered = computed(() => capabilities.filter(isOffered));

export function findOffered(name: string): Capability | undefined {
  const found = findCapability(name);
  return found && isOffered(found) ? found : undefined;
}
