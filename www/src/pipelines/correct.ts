/** Corrects a failed step. A resume takes no changed input, so the rest becomes a new pipeline. */
import type { StepSnapshot } from "mediagate";
import type { Draft } from "../storage";
import { replaceDraft, revealing } from "./draft";
import { editStep } from "./edit";
import { stepTitle } from "./names";
import { remaining } from "./remaining";

/** Builds a pipeline of the remaining steps, and shows the form of the failed step. */
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
