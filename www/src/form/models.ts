/**
 * The models of the media service, the values that they take, and the assets. The gateway passes
 * assets on unchecked.
 */
import { signal } from "@preact/signals";
import type { Model } from "mediagate";
import type { Capability, Field } from "../catalogue";
import { client } from "../client";
import { webUrl } from "../results/reference";
import type { Values } from "../storage";

export interface ListedAsset {
  id: string;
  category?: string | undefined;
  title?: string | undefined;
  preview?: string | undefined;
}

/** The most assets in a list, which more would make slow. The id of any asset can be entered. */
const MAX_ASSETS = 200;

const models = signal<readonly Model[]>([]);
/** The server behind the gateway; `undefined` until models are loaded, and if there are none. */
export const worker = signal<"emulator" | "media service" | undefined>(
  undefined,
);
const assets = signal<readonly ListedAsset[]>([]);
let isLoading = false;

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
  return assets.value.filter(
    ({ category }) => category === undefined || category === field.category,
  );
}

function assetsIn(member: unknown): ListedAsset[] {
  if (!Array.isArray(member)) return [];
  const found = member.map(assetOf).filter((asset) => asset !== undefined);
  // The id is the key of a card, so each id is listed once.
  const unique = new Map(found.map((asset) => [asset.id, asset]));
  return [...unique.values()].slice(0, MAX_ASSETS);
}

function assetOf(member: unknown): ListedAsset | undefined {
  if (typeof member !== "object" || member === null) return undefined;
  const { asset_id, category, title, preview_url } = member as Record<
    string,
    unknown
  >;
  const id = text(asset_id);
  return id === undefined
    ? undefined
    : {
        id,
        category: text(category),
        title: text(title),
        preview: webUrl(text(preview_url)),
      };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
