/** The files and results of a request, with names for code: `source_image_file_id` is `sourceImage`. */
import type { Capability, Field } from "../catalogue";
import { type Chosen, isChosen, isStep } from "../results/reference";
import type { Values } from "../storage";

export interface Input {
  field: Field;
  /** The parameter's name. */
  name: string;
  /** Whether the field takes a list. */
  many: boolean;
  /** The chosen files and results, without steps; empty for a required field that is still blank. */
  chosen: Chosen[];
}

const isFile = (field: Field) =>
  ["file", "files", "file_or_files"].includes(field.kind);

/** The file fields that have something chosen, and the required ones. */
export function inputsOf({ fields }: Capability, values: Values): Input[] {
  const inputs = fields.filter(isFile).map((field) => {
    const many = field.kind !== "file";
    const all = [values[field.name]].flat().filter(isChosen);
    const chosen = all.filter((it) => !isStep(it));
    return {
      field,
      name: nameOf(field, many),
      many,
      chosen,
      isBlank: all.length === 0,
    };
  });
  return inputs.filter(
    (it) => it.chosen.length > 0 || (it.field.required && it.isBlank),
  );
}

function nameOf(field: Field, many: boolean): string {
  const bare =
    field.name.replace(/_?file_ids?$/, "").replace(/^input_?/, "") ||
    (field.media ?? "file");
  const camel = bare.replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
  return many ? `${camel}s` : camel;
}

/** A file's name for a comment: without line breaks and control characters. */
export function plain(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
}
