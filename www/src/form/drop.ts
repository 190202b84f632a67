/** Where files go that are dropped beside the fields: into the only field that takes them. */
import { signal } from "@preact/signals";
import type { Field } from "../catalogue";
import { label } from "../words";
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
  /** The files of each field that is the only one to take them. */
  groups: ReadonlyMap<Field, readonly File[]>;
  /** For the other files, which fields take them. */
  notice: string;
}

export function sortInto(
  fields: readonly Field[],
  files: readonly File[],
): Sorted {
  const groups = new Map<Field, File[]>();
  const notices = new Set<string>();
  for (const file of files) {
    const fitting = fields.filter(
      (it) => takesFiles(it) && takes(it, file.type),
    );
    const [only] = fitting;
    if (only && fitting.length === 1)
      groups.set(only, [...(groups.get(only) ?? []), file]);
    else notices.add(noticeOf(file, fitting));
  }
  return { groups, notice: [...notices].join(" ") };
}

function noticeOf({ name, type }: File, fitting: readonly Field[]): string {
  if (fitting.length === 0)
    return `No field of this form takes ${name}${type && `, ${kindOf(type)}`}.`;
  const names = fitting.map((it) => `“${label(it)}”`).join(", ");
  return `${name} fits more than one field: drop it on one of ${names}.`;
}
