/** Finds the fields for files that are dropped beside the fields, or pasted. */
import { signal } from "@preact/signals";
import { type Capability, capabilities, type Field } from "../catalogue";
import { isChosen } from "../results/reference";
import type { Values } from "../storage";
import { kindOf, takes, takesFiles } from "./files";

/** The types of the files that are dragged over the page; `undefined` if none are. Browsers may leave a type empty. */
export const dragged = signal<readonly string[] | undefined>(undefined);

/** Whether a field takes one of the dragged files. */
export function isTarget(field: Field): boolean {
  return dragged.value?.some((it) => takes(field, it)) ?? false;
}

export function typesIn(transfer: DataTransfer | null): string[] | undefined {
  if (!transfer?.types.includes("Files")) return undefined;
  const types = [...transfer.items]
    .filter((it) => it.kind === "file")
    .map((it) => it.type);
  return types.length > 0 ? types : [""];
}

/** Returns the dropped files without folders, and the names of the folders. A browser lists a folder as a file that can't be read. */
export function splitFolders(transfer: DataTransfer | null): {
  files: File[];
  folders: string[];
} {
  const files: File[] = [];
  const folders: string[] = [];
  for (const item of transfer?.items ?? []) {
    const file = item.kind === "file" ? item.getAsFile() : null;
    if (!file) continue;
    if (item.webkitGetAsEntry()?.isDirectory) folders.push(file.name);
    else files.push(file);
  }
  return { files, folders };
}

/** What to say of folders that were dropped; empty if there are none. */
export function folderNotice(folders: readonly string[]): string {
  return folders
    .map((name) => `${name} is a folder. Drop the files that are in it.`)
    .join(" ");
}

export interface Sorted {
  /** The files of each field that takes some. */
  groups: ReadonlyMap<Field, readonly File[]>;
  /** The files that no field takes. */
  others: readonly File[];
}

/** Returns the first empty field, or else a list, or else the first field. */
export function freeField(
  fields: readonly Field[],
  values: Values,
  taken: { has(field: Field): boolean } = new Set<Field>(),
): Field | undefined {
  const isEmpty = (field: Field) =>
    !taken.has(field) && ![values[field.name]].flat().some(isChosen);
  return (
    fields.find(isEmpty) ??
    fields.find(({ kind }) => kind !== "file") ??
    fields[0]
  );
}

/** Each file goes into the first empty field that takes it, or else into a list, or else in the place of another file. */
export function sortInto(
  fields: readonly Field[],
  values: Values,
  files: readonly File[],
): Sorted {
  const groups = new Map<Field, File[]>();
  const others: File[] = [];
  for (const file of files) {
    const fitting = fields.filter(
      (field) => takesFiles(field) && takes(field, file.type),
    );
    const field = freeField(fitting, values, groups);
    if (field) groups.set(field, [...(groups.get(field) ?? []), file]);
    else others.push(file);
  }
  return { groups, others };
}

/** Returns a message about files that no field takes. */
export function noticeOf(files: readonly File[]): string {
  const texts = files.map(
    ({ name, type }) =>
      `No field of this form takes ${name}${type && `, ${kindOf(type)}`}.`,
  );
  return [...new Set(texts)].join(" ");
}

/** The forms that take a file, each with the first field that does. */
export function formsFor(
  file: File,
): readonly { capability: Capability; field: Field }[] {
  if (file.type === "") return [];
  return capabilities.flatMap((capability) => {
    const field = capability.fields.find(
      (each) => takesFiles(each) && takes(each, file.type),
    );
    return field ? [{ capability, field }] : [];
  });
}
