/**
 * The files, results and addresses of a request, with names for code: `source_image_file_id` is
 * `sourceImage`.
 */
import type { Capability, Field } from "../catalogue";
import {
  type Chosen,
  isAddress,
  isChosen,
  isRunning,
  isStep,
} from "../results/reference";
import type { Values } from "../storage";

export interface Input {
  field: Field;
  name: string;
  many: boolean;
  /** The files without steps. A required field that is still blank has one unknown file. */
  sources: Source[];
}

/**
 * The origin of a file in code: the disk, a URL, a task of its session, whose id is a placeholder,
 * or an address that the gateway loads.
 */
export type Source =
  | { name: string; type: string; size: number }
  | { name: string; url: string }
  | { name: string; address: string }
  | { name: string; task: string; output: number; capability?: string };

const TASK_ID = "TASK_ID";

const isFile = (field: Field) =>
  ["file", "files", "file_or_files"].includes(field.kind);

export function inputsOf({ fields }: Capability, values: Values): Input[] {
  return fields.filter(isFile).flatMap((field) => {
    const many = field.kind !== "file";
    const chosen = [values[field.name]].flat().filter(isChosen);
    const sources = chosen.flatMap(sourceOf);
    if (chosen.length === 0 && field.required)
      sources.push({ name: "FILE", type: "", size: 0 });
    if (sources.length === 0) return [];
    return [{ field, name: nameOf(field, many), many, sources }];
  });
}

function sourceOf(chosen: Chosen): Source[] {
  const { name } = chosen;
  if (chosen instanceof File)
    return [{ name, type: chosen.type, size: chosen.size }];
  if (isStep(chosen)) return [];
  if (isAddress(chosen)) return [{ name, address: chosen.url }];
  if (isRunning(chosen))
    return [{ name, task: TASK_ID, output: 0, capability: chosen.capability }];
  return chosen.url
    ? [{ name, url: chosen.url }]
    : [{ name, task: TASK_ID, output: chosen.output }];
}

function nameOf(field: Field, many: boolean): string {
  // A field such as `input_file_id` has no word of its own, so its medium names it.
  const bare =
    field.name.replace(/_?file_ids?$/, "").replace(/^input_?/, "") ||
    (field.media ?? "file");
  const camel = bare.replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
  return many ? `${camel}s` : camel;
}

/** Removes line breaks and control characters from a name, which would end a comment in code. */
export function plain(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
}
