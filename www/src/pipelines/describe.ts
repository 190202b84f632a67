/** A step of the pipeline that is being built, in words. */
import { type Capability, type Field, findCapability } from "../catalogue";
import { defaults } from "../form/defaults";
import { isChosen, isStep } from "../results/reference";
import type { DraftStep, Values } from "../storage";
import { isSame } from "../tasks/unsettled";
import { label } from "../words";

/** The parts of what a step does. */
export interface Description {
  /** The main text, such as the prompt. */
  prompt: string | undefined;
  /** The chosen files and results of each field, such as `Image: lamp.png`. */
  inputs: readonly string[];
  /** The other values that are not the form's own, such as `Width 160`. */
  settings: readonly string[];
}

/** `titleOf` is what another step is called. */
export function describe(
  { capability, values }: DraftStep,
  titleOf: (step: string) => string,
): Description {
  const definition = findCapability(capability);
  const { fields = [] } = definition ?? {};
  const main = fields.find((it) => it.kind === "text" && it.required);
  const prompt = values[main?.name ?? ""];
  return {
    prompt: typeof prompt === "string" ? prompt : undefined,
    inputs: fields.flatMap((it) => inputOf(it, values, titleOf)),
    settings: fields
      .filter((it) => it !== main && it.name !== "title" && !it.media)
      .flatMap((it) => settingOf(it, values, definition)),
  };
}

function inputOf(
  field: Field,
  values: Values,
  titleOf: (step: string) => string,
): string[] {
  const chosen = [values[field.name]].flat().filter(isChosen);
  const names = chosen.map((it) =>
    isStep(it) ? `from ${titleOf(it.step)}` : it.name,
  );
  return names.length > 0 ? [`${label(field)}: ${names.join(", ")}`] : [];
}

function settingOf(
  field: Field,
  values: Values,
  definition: Capability | undefined,
): string[] {
  const value = values[field.name];
  if (value === undefined || !definition) return [];
  if (isSame(value, defaults(definition)[field.name])) return [];
  const isPlain = typeof value !== "object" && field.kind !== "asset";
  return [isPlain ? `${label(field)} ${value}` : label(field)];
}
