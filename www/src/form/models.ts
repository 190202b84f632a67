/** The models of the media service, the values that they take, and the assets. */
import { signal } from "@preact/signals";
import type { Model } from "mediagate";
import type { Capability, Field } from "../catalogue";
import { client } from "../client";
import type { Values } from "../storage";
import { assetsIn, fitting, type ListedAsset } from "./assets";

export type { ListedAsset };

const models = signal<readonly Model[]>([]);
/** The server behind the gateway; `undefined` until models are loaded, and if there are none. */
export const worker = signal<"emulator" | "media service" | undefined>(
  undefined,
);
const assets = signal<readonly ListedAsset[]>([]);
let isLoading = false;

/** Loads the models once. */
export function loadModels(): void {
  if (isLoading) return;
  isLoading = true;
  read().catch(() => {
    // Without models, the forms offer the documented values. The next call tries again.
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

/** Returns the models of a capability. */
export function modelsOf({
  name,
  documentedModel,
}: Capability): readonly Model[] {
  return models.value.filter(
    (model) => model.capability === name || model.model_id === documentedModel,
  );
}

/** Returns the models that a request may get: all models, or the model that the request names. */
export function modelsFor(
  capability: Capability,
  { model_id: id }: Values,
): readonly Model[] {
  return modelsOf(capability).filter((model) => !id || model.model_id === id);
}

/** Returns the model that a request gets; `undefined` if there are several. */
export function modelFor(
  capability: Capability,
  values: Values,
): Model | undefined {
  const all = modelsFor(capability, values);
  return all.length === 1 ? all[0] : undefined;
}

/** Returns the values to offer for a field: models, the model's options, or documented values. */
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

export function offeredAssets(field: Field): readonly ListedAsset[] {
  return fitting(assets.value, field);
}
