/** A field of a capability, with the members of `mediagate/catalogue.json` that the rules read. */
export interface FormField {
  readonly name: string;
  /** The kind of value, such as `file`, `page_range` or `integer`. */
  readonly kind: string;
  readonly required: boolean;
  /** The documented default; null if there is none. */
  readonly default: unknown;
  /** The kind of file in a field for files: `image`, `video`, `audio` or `pdf`. */
  readonly media?: string | undefined;
  /** The category of assets in a field for assets: `avatar` or `voice`. */
  readonly category?: string | undefined;
  /** The documented values; empty if the document names none. Others may be valid, too. */
  readonly values?: readonly string[] | undefined;
}

const SOURCE_MEDIA: Record<string, readonly string[]> = {
  page_range: ["pdf"],
  segments: ["video"],
  region: ["image", "video"],
  video_size: ["video"],
};

/**
 * Finds the field whose file a value is about, such as the picture of a region.
 *
 * @param fields - All fields of the capability.
 * @returns `undefined` for a field that is about no file.
 */
export function sourceField(
  { kind }: FormField,
  fields: readonly FormField[],
): FormField | undefined {
  return fileField(SOURCE_MEDIA[kind] ?? [], fields);
}

/** Returns the first field for one file of these media. */
export function fileField(
  media: readonly string[],
  fields: readonly FormField[],
): FormField | undefined {
  return fields.find(
    (field) => field.kind === "file" && media.includes(field.media ?? ""),
  );
}

export function inputValue(
  input: object,
  { name }: Pick<FormField, "name">,
): unknown {
  return (input as Record<string, unknown>)[name];
}
