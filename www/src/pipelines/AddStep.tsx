/** Makes what is in a form a step of a pipeline. */
import { Check, ListPlus } from "lucide";
import { type FormModel, requestOf } from "../form/model";
import { notify } from "../notices/store";
import { Icon } from "../parts/Icon";
import type { DraftStep } from "../storage";
import { isSame } from "../tasks/unsettled";
import {
  draft,
  editedStep,
  isStarting,
  removeStep,
  revealing,
  usersOf,
} from "./draft";
import { stepTitle } from "./names";

/** Adds it, says so, and shows the pipeline. What is a step already is added once more only on demand. */
export async function addStep(
  model: FormModel,
  isRepeated = false,
): Promise<void> {
  const same = sameStep(model);
  if (same && !isRepeated) {
    notify({
      text: `This is ${placeOf(same)} already`,
      action: { label: "Add it again", act: () => void addStep(model, true) },
    });
    return;
  }
  const isEdited = editedStep(model.capability.name) !== undefined;
  const step = await model.addStep();
  if (!step) return;
  revealing.value = { focus: false };
  if (isEdited) return notify({ text: `Saved ${placeOf(step)}` });
  notify({
    text: `Added as ${placeOf(step)}`,
    action: { label: "Undo", act: () => undo(step) },
  });
}

/** A step that another one has come to use stays. */
function undo(step: DraftStep): void {
  if (usersOf(step.name).length === 0) removeStep(step);
}

/** The step that was made from what is in the form; `undefined` once either is changed. */
function sameStep({ capability, values }: FormModel): DraftStep | undefined {
  if (editedStep(capability.name)) return undefined;
  const request = requestOf(values.value);
  return draft.value.steps.find(
    (it) => it.capability === capability.name && isSame(it.values, request),
  );
}

function placeOf(step: DraftStep): string {
  const { steps } = draft.value;
  const number = steps.findIndex((it) => it.name === step.name) + 1;
  return `step ${number} of the new pipeline, “${stepTitle(step)}”`;
}

/** The form's main button where the form uses another step, and one beside Run elsewhere. */
export function AddStep({
  model,
  isPrimary = false,
}: {
  model: FormModel;
  isPrimary?: boolean;
}) {
  const isEdited = editedStep(model.capability.name) !== undefined;
  const isAdded = sameStep(model) !== undefined;
  const word = isAdded ? "Added as a step" : "Add as a step";
  return (
    <button
      key="step"
      type={isPrimary ? "submit" : "button"}
      class={isPrimary ? "primary" : "quiet"}
      title="A pipeline runs several steps, also while this page is closed"
      aria-disabled={isStarting.value}
      onClick={isPrimary ? undefined : () => void addStep(model)}
    >
      <Icon of={isAdded ? Check : ListPlus} size={isPrimary ? 16 : 14} />{" "}
      {isEdited ? "Save the step" : word}
    </button>
  );
}
