import type {
  Model,
  ModelCatalogue,
  OfferedLimits,
  Offers,
} from "../types/models.js";
import type { FormCapability } from "./catalogue.js";
import { type FormField, inputValue } from "./fields.js";

type Served = Pick<FormCapability, "name" | "documentedModel">;

/**
 * Lists the models that a create may get: the model that the input names, or else all models of the
 * capability.
 *
 * @param catalogue - The result of `media.models()`; `undefined` before it is there.
 */
export function modelsFor(
  { name, documentedModel }: Served,
  catalogue: ModelCatalogue | undefined,
  input: object = {},
): Model[] {
  const id = inputValue(input, { name: "model_id" });
  return listOf<Model>(catalogue?.models).filter(
    (model) =>
      (model.capability === name || model.model_id === documentedModel) &&
      (!id || model.model_id === id),
  );
}

/**
 * Returns the only model that a create may get; `undefined` if there are several, or if none is
 * known.
 */
export function modelFor(
  capability: Served,
  catalogue: ModelCatalogue | undefined,
  input: object,
): Model | undefined {
  const [model, ...others] = modelsFor(capability, catalogue, input);
  return others.length === 0 ? model : undefined;
}

/**
 * Lists the values to offer for a field: the ids of models, the values that the model takes, or the
 * documented values, as far as the limits of the session allow them. Other values may be valid,
 * too.
 *
 * @param catalogue - The result of `media.models()`; `undefined` before it is there.
 * @param input - The values of the form, which may name the model.
 * @param offers - The result of `media.capabilities()`, which has the limits.
 */
export function offeredValues(
  field: FormField,
  capability: Served,
  catalogue: ModelCatalogue | undefined,
  input: object,
  offers?: Offers | undefined,
): readonly FieldValue[] {
  const values = takenValues(field, capability, catalogue, input);
  const isAllowed = offers?.limits && ruleOf(field.name, offers.limits);
  if (!isAllowed) return values;
  const labels = offers.limits?.clarities;
  return values.length === 0 && LABELS.includes(field.name) && labels
    ? labels
    : values.filter(isAllowed);
}

type FieldValue = string | number | boolean;

/** The fields that `clarities` limits. */
const LABELS: readonly string[] = ["clarity", "resolution"];

function takenValues(
  field: FormField,
  capability: Served,
  catalogue: ModelCatalogue | undefined,
  input: object,
): readonly FieldValue[] {
  if (field.name === "model_id")
    return modelsFor(capability, catalogue).map((model) => model.model_id);
  const { generation_options: options } =
    modelFor(capability, catalogue, input) ?? {};
  const taken = options && inputValue(options, field);
  return Array.isArray(taken) ? taken : (field.values ?? []);
}

/** Returns the rule that limits a field's values; `undefined` if nothing limits them. */
function ruleOf(
  name: string,
  { models, max_seconds, clarities }: OfferedLimits,
): ((value: FieldValue) => boolean) | undefined {
  if (name === "model_id" && models)
    return (value) => models.includes(String(value));
  if (name === "duration_seconds" && max_seconds !== undefined)
    return (value) => Number(value) <= max_seconds;
  if (!LABELS.includes(name) || !clarities) return undefined;
  const folded = clarities.map(foldLabel);
  return (value) => folded.includes(foldLabel(String(value)));
}

const foldLabel = (label: string) => label.trim().toUpperCase();

/** An avatar or a voice that the session may use, with members of the declared types only. */
export interface ListedAsset {
  /** The id, for a field for assets. */
  readonly id: string;
  /** The category, such as `avatar`; absent if it is unknown. */
  readonly category?: string | undefined;
  readonly title?: string | undefined;
  /** The URL of a picture on the web. */
  readonly preview?: string | undefined;
}

/** Lists the assets that a field takes, each once, with those of an unknown category. */
export function offeredAssets(
  field: Pick<FormField, "category">,
  catalogue: ModelCatalogue | undefined,
): ListedAsset[] {
  const assets = listOf(catalogue?.assets).flatMap(assetOf);
  const unique = new Map(assets.map((asset) => [asset.id, asset]));
  return [...unique.values()].filter(
    ({ category }) => category === undefined || category === field.category,
  );
}

function assetOf(member: unknown): ListedAsset[] {
  const { asset_id, category, title, preview_url } = (member ?? {}) as Record<
    string,
    unknown
  >;
  const id = text(asset_id);
  const url = text(preview_url);
  const preview = url && /^https?:\/\//i.test(url) ? url : undefined;
  return id === undefined
    ? []
    : [{ id, category: text(category), title: text(title), preview }];
}

/** Returns a member of the catalogue as a list. The gateway passes members on unchecked. */
function listOf<Item>(member: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(member) ? member : [];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
