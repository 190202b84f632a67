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

/** The values to offer for a field: the models of its capability, or what the chosen model takes, or the documented ones. */
export function offeredValues(
  field: Field,
  capability: Capability,
  values: Values,
): readonly unknown[] {
  const documented = capability.documentedModel;
  const own = models.value.filter(
    (it) => it.capability === capability.name || it.model_id === documented,
  );
  if (field.name === "model_id") return own.map((it) => it.model_id);
  const chosen =
    own.find((it) => it.model_id === values.model_id) ??
    (own.length === 1 ? own[0] : undefined);
  return chosen?.generation_options?.[field.name] ?? field.values;
}

/** The assets to offer for a field. */
export function offeredAssets(field: Field): readonly ListedAsset[] {
  return fitting(assets.value, field);
}
