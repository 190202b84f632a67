/** The media service's models, the values that they take, and its assets. */
import { signal } from "@preact/signals";
import type { Model } from "mediagate";
import type { Capability, Field } from "../catalogue";
import { client } from "../client";
import type { Values } from "../storage";
import { assetsIn, fitting, type ListedAsset } from "./assets";

export type { ListedAsset };

const models = signal<readonly Model[]>([]);
/** What does the work; `undefined` until the models are loaded, and where the gateway has none. */
export const worker = signal<"emulator" | "media service" | undefined>(
  undefined,
);
const assets = signal<readonly ListedAsset[]>([]);
let isLoading = false;

/** Loads the models once. Where the gateway has none, the documented values are offered. */
export function loadModels(): void {
  if (isLoading) return;
  isLoading = true;
  read().catch(() => {
    isLoading = false;
  });
}

async function read(): Promise<void> {
  const media = await client();
  const catalogue = await media.models();
  models.value = Array.isArray(catalogue.models) ? catalogue.models : [];
  worker.value = catalogue.emulated === true ? "emulator" : "media service";
  assets.value = assetsIn(catalogue.assets);
}

/** The models of a capability. */
export function modelsOf({
  name,
  documentedModel,
}: Capability): readonly Model[] {
  return models.value.filter(
    (model) => model.capability === name || model.model_id === documentedModel,
  );
}

/** The models of which a request with these values gets one: the catalogue does not say which is the usual one. */
export function modelsFor(
  capability: Capability,
  { model_id: id }: Values,
): readonly Model[] {
  return modelsOf(capability).filter((model) => !id || model.model_id === id);
}

/** The model that a request with these values gets; `undefined` if the catalogue does not say. */
export function modelFor(
  capability: Capability,
  values: Values,
): Model | undefined {
  const all = modelsFor(capability, values);
  return all.length === 1 ? all[0] : undefined;
}

/** The values to offer for a field: the models of its capability, or what the chosen model takes, or the documented ones. */
export function offeredValues(
  field: Field,
  capability: Capability,
  values: Values,
): readonly unknown[] {
  if (field.name === "model_id")
    return modelsOf(capability).map((model) => model.model_id);
  const model = modelFor(capability, values);
  return model?.generation_options?.[field.name] ?? field.values;
}

/** The assets to offer for a field. */
export function offeredAssets(field: Field): readonly ListedAsset[] {
  return fitting(assets.value, field);
}
