import { signal } from "@preact/signals";
import { takesType } from "mediagate/forms";
import type { Capability, Field } from "../catalogue";
import { offered } from "../offers";
import { kindOf } from "./files";

/** The types of the files over the page; `undefined` if none are dragged. A type may be empty. */
export const dragged = signal<readonly string[] | undefined>(undefined);

export function isTarget(field: Field): boolean {
  return dragged.value?.some((type) => takesType(field, type)) ?? false;
}

export function typesIn(transfer: DataTransfer | null): string[] | undefined {
  if (!transfer?.types.includes("Files")) return undefined;
  const types = [...transfer.items]
    .filter(({ kind }) => kind === "file")
    .map(({ type }) => type);
  // Some browsers list the items of a drag only once they are dropped.
  return types.length > 0 ? types : [""];
}

export function splitFolders(transfer: DataTransfer | null): {
  files: File[];
  folders: string[];
} {
  const files: File[] = [];
  const folders: string[] = [];
  for (const item of transfer?.items ?? []) {
    const file = item.kind === "file" ? item.getAsFile() : null;
    if (!file) continue;
    // A browser also lists a folder as a file, which cannot be read.
    if (item.webkitGetAsEntry()?.isDirectory) folders.push(file.name);
    else files.push(file);
  }
  return { files, folders };
}

/** Returns a message about dropped folders; empty if there are none. */
export function folderNotice(folders: readonly string[]): string {
  return folders
    .map((name) => `${name} is a folder. Drop the files in it.`)
    .join(" ");
}

export function noticeOf(files: readonly File[]): string {
  const texts = files.map(({ name, type }) => {
    const kind = kindOf(type);
    return `No field of this form takes ${name}${kind ? `, ${kind}` : ""}.`;
  });
  return [...new Set(texts)].join(" ");
}

export function formsFor(
  file: File,
): readonly { capability: Capability; field: Field }[] {
  // A file of an unknown type would fit every form.
  if (file.type === "") return [];
  return offered.value.flatMap((capability) => {
    const field = capability.fields.find((candidate) =>
      takesType(candidate, file.type),
    );
    return field ? [{ capability, field }] : [];
  });
}
