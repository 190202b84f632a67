/** The assets in the models response. The gateway passes them on unchecked. */
import type { Field } from "../catalogue";

export interface ListedAsset {
  id: string;
  category?: string | undefined;
  title?: string | undefined;
  /** The URL of a picture. */
  preview?: string | undefined;
}

/** The most assets in a list, which more would make slow. The id of any asset can be entered. */
const MAX_ASSETS = 200;

export function assetsIn(member: unknown): ListedAsset[] {
  if (!Array.isArray(member)) return [];
  const found = member.map(assetOf).filter((asset) => asset !== undefined);
  // The id is the key of a card, so each id is listed once.
  const unique = new Map(found.map((asset) => [asset.id, asset]));
  return [...unique.values()].slice(0, MAX_ASSETS);
}

/** Returns the assets of the field's category, and those without a category. */
export function fitting(
  assets: readonly ListedAsset[],
  field: Field,
): ListedAsset[] {
  return assets.filter(
    ({ category }) => category === undefined || category === field.category,
  );
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
        preview: webUrl(preview_url),
      };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function webUrl(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//i.test(value)
    ? value
    : undefined;
}
