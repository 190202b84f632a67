import { defaultValues } from "mediagate/forms";
import { fieldLabel } from "mediagate/words";
import { type Capability, type Field, findCapability } from "../catalogue";
import { isChosen, isStep } from "../results/reference";
import type { DraftStep, Values } from "../storage";
import { isSame } from "../tasks/unsettled";
import { titleAmong } from "./names";

interface Description {
  prompt: string | undefined;
  /** The chosen files and results of each field, such as `Image: lamp.png`. */
  inputs: readonly string[];
  /** Further values that differ from the form's defaults, such as `Width 160`. */
  settings: readonly string[];
}

export function describe(
  { capability, values }: DraftStep,
  steps: readonly DraftStep[],
): Description {
  const definition = findCapability(capability);
  const { fields = [] } = definition ?? {};
  const main = fields.find(({ kind, required }) => kind === "text" && required);
  const prompt = values[main?.name ?? ""];
  return {
    prompt: typeof prompt === "string" ? prompt : undefined,
    inputs: fields.flatMap((field) => inputOf(field, values, steps)),
    settings: fields
      .filter(
        (field) => field !== main && field.name !== "title" && !field.media,
      )
      .flatMap((field) => settingOf(field, values, definition)),
  };
}

function inputOf(
  field: Field,
  values: Values,
  steps: readonly DraftStep[],
): string[] {
  const chosen = [values[field.name]].flat().filter(isChosen);
  const names = chosen.map((source) =>
    isStep(source) ? `from ${titleAmong(steps, source.step)}` : source.name,
  );
  return names.length > 0 ? [`${fieldLabel(field)}: ${names.join(", ")}`] : [];
}

function settingOf(
  field: Field,
  values: Values,
  definition: Capability | undefined,
): string[] {
  const value = values[field.name];
  if (value === undefined || !definition) return [];
  if (isSame(value, defaultValues(definition.fields)[field.name])) return [];
  // An object or the id of an asset means nothing to a person.
  const isPlain = typeof value !== "object" && field.kind !== "asset";
  return [isPlain ? `${fieldLabel(field)} ${value}` : fieldLabel(field)];
}
