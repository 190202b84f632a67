import { Check, ListPlus } from "lucide";
import { filledValues } from "mediagate/forms";
import type { FormModel } from "../form/model";
import { notify, notifyUndo } from "../notices/store";
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

/** Adds a form as a step, and shows the pipeline. The same step is added again only on request. */
export async function addStep(
  model: FormModel,
  isRepeated = false,
): Promise<void> {
  const same = sameStep(model);
  if (same && !isRepeated) {
    notify({
      text: `This is already ${placeOf(same)}`,
      action: { label: "Add it again", act: () => void addStep(model, true) },
    });
    return;
  }
  const isEdited = editedStep(model.capability.name) !== undefined;
  const step = await model.addStep();
  if (!step) return;
  revealing.value = { focus: false };
  if (isEdited) {
    notify({ text: `Saved ${placeOf(step)}` });
    return;
  }
  notifyUndo(`Added as ${placeOf(step)}`, () => {
    // Another step may use it by now.
    if (usersOf(step.name).length === 0) removeStep(step);
  });
}

/** Returns the step that equals the form; `undefined` once either of them changes. */
function sameStep({ capability, values }: FormModel): DraftStep | undefined {
  if (editedStep(capability.name)) return undefined;
  const request = filledValues(values.value);
  return draft.value.steps.find(
    (step) =>
      step.capability === capability.name && isSame(step.values, request),
  );
}

function placeOf(step: DraftStep): string {
  const { steps } = draft.value;
  const number = steps.findIndex(({ name }) => name === step.name) + 1;
  return `step ${number} of the new pipeline, “${stepTitle(step)}”`;
}

/** The button beside Run, or instead of Run for a form that uses a step. */
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
      class={isPrimary ? "primary" : "quiet small"}
      title="A pipeline runs several steps, also while this page is closed"
      aria-disabled={isStarting.value}
      onClick={isPrimary ? undefined : () => void addStep(model)}
    >
      <Icon icon={isAdded ? Check : ListPlus} size={isPrimary ? 16 : 14} />{" "}
      {isEdited ? "Save the step" : word}
    </button>
  );
}
