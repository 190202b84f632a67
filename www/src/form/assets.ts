/** The assets in the models response, which the gateway passes on: each member is checked. */
import type { Field } from "../catalogue";

export interface ListedAsset {
  id: string;
  category?: string | undefined;
  title?: string | undefined;
  /** The URL of a picture. */
  preview?: string | undefined;
}

/** More would make the list slow; an id can still be entered. */
const MAX_ASSETS = 200;

export function assetsIn(member: unknown): ListedAsset[] {
  if (!Array.isArray(member)) return [];
  const found = member.map(assetOf).filter((it) => it !== undefined);
  return [...new Map(found.map((it) => [it.id, it])).values()].slice(
    0,
    MAX_ASSETS,
  );
}

/** Those of the field's category, or of none. */
export function fitting(
  assets: readonly ListedAsset[],
  field: Field,
): ListedAsset[] {
  return assets.filter(
    (it) => it.category === undefined || it.category === field.category,
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
