/** The gateway's offers: its capabilities, which the page shows, and the media service's models. */
import { computed, signal } from "@preact/signals";
import type { Media, ModelCatalogue, Offers } from "mediagate";
import { isEmulated, isOffered, modelsFor } from "mediagate/forms";
import { type Capability, capabilities, findCapability } from "./catalogue";
import { client } from "./client";

/** Without models, the forms offer the documented values. */
export const models = signal<ModelCatalogue | undefined>(undefined);

/** The server behind the gateway; `undefined` until the models are loaded. */
export const worker = computed(
  () =>
    models.value &&
    (models.value.emulated === true ? "emulator" : "media service"),
);

export const loadModels = loader(async (media) => {
  models.value = await media.models();
});

/** `undefined` until the gateway has listed its offers. An older gateway lists none. */
export const offers = signal<Offers | undefined>(undefined);

/** False until the gateway has listed its offers, or could not. */
export const areOffersKnown = signal(false);

export const loadOffers = loader(
  async (media) => {
    offers.value = await media.capabilities();
  },
  () => {
    areOffersKnown.value = true;
  },
);

/** Returns a function that loads once. After a failure, the next call tries again. */
function loader(
  read: (media: Media) => Promise<void>,
  settle?: () => void,
): () => void {
  let isLoading = false;
  return () => {
    if (isLoading) return;
    isLoading = true;
    client()
      .then(read)
      .catch(() => {
        isLoading = false;
      })
      .finally(settle);
  };
}

/** A program that the emulator needs for a capability and does not have, and how to get it. */
export interface Missing {
  readonly program: string;
  readonly remedy: string;
}

/** Returns what keeps all models of a capability from serving it. */
export function missingFor(capability: Capability): Missing | undefined {
  const found = modelsFor(capability, models.value).map(
    (model) => model.missing as Partial<Missing> | undefined,
  );
  const [first] = found;
  const isEach = found.every((missing) => missing?.program && missing.remedy);
  return first && isEach ? (first as Missing) : undefined;
}

/**
 * Returns the words for a capability whose program is missing, that only the emulator serves, or
 * that the document lacks.
 */
export function markOf(capability: Capability): string | undefined {
  const missing = missingFor(capability);
  if (missing) return `needs ${missing.program}`;
  if (isEmulated(capability, offers.value)) return "emulator";
  return capability.extension ? "extension" : undefined;
}

export const offered = computed(() =>
  capabilities.filter((capability) => isOffered(capability, offers.value)),
);

export function findOffered(name: string): Capability | undefined {
  const found = findCapability(name);
  return found && offered.value.includes(found) ? found : undefined;
}
