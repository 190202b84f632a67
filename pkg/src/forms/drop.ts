import { type FormField, inputValue } from "./fields.js";

/**
 * Returns true if a field takes a file of this media type. An empty type fits each field for files,
 * since a browser leaves the type empty if it is unknown.
 */
export function takesType(field: FormField, type: string): boolean {
  return (
    field.media !== undefined &&
    (type === "" || kindOfType(type) === field.media)
  );
}

/** Returns the kind of file for a media type: `pdf` or the part before the slash. */
export function kindOfType(type: string): string {
  return type === "application/pdf" ? "pdf" : (type.split("/")[0] ?? "");
}

/** Files, sorted into the fields of a form. A field for one file may have got several. */
export interface SortedFiles<Entry extends FormField = FormField, Item = Blob> {
  /** The files by their fields, in the given order. */
  readonly groups: ReadonlyMap<Entry, readonly Item[]>;
  /** The files that no field takes. */
  readonly others: readonly Item[];
}

/**
 * Returns the field for a further file: the first that is empty, or else a list, or else the first.
 *
 * @param fields - The fields that take the file.
 * @param values - The values of the form.
 * @param taken - Fields that count as filled.
 */
export function freeField<Entry extends FormField>(
  fields: readonly Entry[],
  values: object,
  taken: { has(field: Entry): boolean } = new Set<Entry>(),
): Entry | undefined {
  const isFree = (field: Entry) =>
    !taken.has(field) && isEmpty(inputValue(values, field));
  return (
    fields.find(isFree) ??
    fields.find(({ kind }) => kind !== "file") ??
    fields[0]
  );
}

/**
 * Sorts files, such as those that were dropped on a form, into the fields that take them. Each file
 * gets the field that {@link freeField} returns for it.
 *
 * @param values - The values of the form, which are not changed.
 */
export function sortFiles<Entry extends FormField, Item extends Blob>(
  fields: readonly Entry[],
  values: object,
  files: readonly Item[],
): SortedFiles<Entry, Item> {
  const groups = new Map<Entry, Item[]>();
  const others: Item[] = [];
  for (const file of files) {
    const fitting = fields.filter((field) => takesType(field, file.type));
    const field = freeField(fitting, values, groups);
    if (field) groups.set(field, [...(groups.get(field) ?? []), file]);
    else others.push(file);
  }
  return { groups, others };
}

function isEmpty(value: unknown): boolean {
  return [value].flat().every((file) => file == null || file === "");
}
