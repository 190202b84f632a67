import { signal } from "@preact/signals";
import { freeField, takesType } from "mediagate/forms";
import type { Capability, Field } from "../catalogue";
import { offered } from "../offers";
import { loadables } from "../results/output";
import {
  type Chosen,
  mediumOf,
  type ResultReference,
} from "../results/reference";
import { entries } from "../tasks/store";
import { kindOf } from "./files";
import type { FormModel } from "./model";

/**
 * The types of the files over the page, or the medium of a dragged result; `undefined` if neither
 * is dragged. A type may be empty.
 */
export const dragged = signal<readonly string[] | undefined>(undefined);

export function isTarget(field: Field): boolean {
  return dragged.value?.some((type) => takesType(field, type)) ?? false;
}

// Only here, and when it is dropped, may a page read what is dragged.
document.addEventListener("dragstart", ({ dataTransfer }) => {
  const result = resultIn(dataTransfer);
  dragged.value = result && [mediumOf(result) ?? ""];
});
document.addEventListener("dragend", () => {
  dragged.value = undefined;
});

/** Returns a result that is dragged by its picture. The gateway moves it, without a copy here. */
export function resultIn(
  transfer: DataTransfer | null,
): ResultReference | undefined {
  const [url] = transfer?.getData("text/uri-list").split(/\r?\n/) ?? [];
  if (!url) return undefined;
  const found = entries.value
    .flatMap(loadables)
    .find((output) => output.url === url);
  return found?.reference && { ...found.reference };
}

export function typesIn(transfer: DataTransfer | null): string[] | undefined {
  if (!transfer?.types.includes("Files")) return undefined;
  const types = [...transfer.items]
    .filter(({ kind }) => kind === "file")
    .map(({ type }) => type);
  // Some browsers list the items of a drag only once they are dropped.
  return types.length > 0 ? types : [""];
}

/** Returns the field of a form that a file or a result goes into, an empty one if there is one. */
export function fieldOf(
  { capability, values }: Pick<FormModel, "capability" | "values">,
  chosen: Chosen,
): Field | undefined {
  const type = chosen instanceof File ? chosen.type : (mediumOf(chosen) ?? "");
  return freeField(
    capability.fields.filter((field) => takesType(field, type)),
    values.value,
  );
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
