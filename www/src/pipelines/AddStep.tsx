/** Makes what is in a form a step of a pipeline. */
import { ListPlus } from "lucide";
import type { FormModel } from "../form/model";
import { Icon } from "../parts/Icon";
import { DRAFT_HEADING, editedStep, isStarting } from "./draft";

/** Adds it, and shows the pipeline, which on a narrow screen is out of view. */
export async function addStep(model: FormModel): Promise<void> {
  if (!(await model.addStep())) return;
  requestAnimationFrame(() =>
    document
      .getElementById(DRAFT_HEADING)
      ?.scrollIntoView({ block: "nearest" }),
  );
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
  return (
    <button
      key="step"
      type={isPrimary ? "submit" : "button"}
      class={isPrimary ? "primary" : "quiet"}
      title="A pipeline runs several steps, also while this page is closed"
      aria-disabled={isStarting.value}
      onClick={isPrimary ? undefined : () => void addStep(model)}
    >
      <Icon of={ListPlus} size={isPrimary ? 16 : 14} />{" "}
      {isEdited ? "Save the step" : "Add as a step"}
    </button>
  );
}
