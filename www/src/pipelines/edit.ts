/** Edits a step in the form of its capability. */
import { findCapability } from "../catalogue";
import { fillForm } from "../form/fill";
import type { DraftStep } from "../storage";
import { editing } from "./draft";
import { stepTitle } from "./names";

/** Fills the form with a step, which the form then changes. A second call ends the edit. */
export function editStep(step: DraftStep): void {
  const capability = findCapability(step.capability);
  const isEdited = editing.value === step.name;
  if (capability && !isEdited)
    fillForm(capability, step.values, stepTitle(step));
  editing.value = isEdited ? undefined : step.name;
}
