/**
 * Edits a step in the form of its capability. A resume takes no changed input, so a corrected step
 * begins a new pipeline of the rest.
 */
import type { StepSnapshot } from "mediagate";
import { findCapability } from "../catalogue";
import { fillForm } from "../form/fill";
import type { Draft, DraftStep } from "../storage";
import { editing, replaceDraft, revealing } from "./draft";
import { stepTitle } from "./names";
import { remaining } from "./remaining";

/** Fills the form with a step, which the form then changes. A second call ends the edit. */
export function editStep(step: DraftStep): void {
  const capability = findCapability(step.capability);
  const isEdited = editing.value === step.name;
  if (capability && !isEdited)
    fillForm(capability, step.values, stepTitle(step));
  editing.value = isEdited ? undefined : step.name;
}

export function correctStep(
  { title, steps }: Draft,
  snapshots: readonly StepSnapshot[],
  failed: StepSnapshot,
): void {
  const left = remaining(steps, snapshots);
  const step = left.find(({ name }) => name === failed.name);
  const text = `Correct “${stepTitle(failed)}”, then run the remaining steps as a new pipeline.`;
  if (!step || !replaceDraft({ title, steps: left }, text)) return;
  editStep(step);
  revealing.value = { focus: false };
}
