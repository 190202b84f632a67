/** Corrects a step that failed. A resume takes no changed input, so what is left becomes a pipeline of its own. */
import type { StepSnapshot } from "mediagate";
import type { Draft } from "../storage";
import { replaceDraft, revealing } from "./draft";
import { editStep } from "./edit";
import { stepTitle } from "./names";
import { remaining } from "./remaining";

/** Builds a pipeline of what is left, and shows the step's form. */
export function correctStep(
  { title, steps }: Draft,
  snapshots: readonly StepSnapshot[],
  failed: StepSnapshot,
): void {
  const left = remaining(steps, snapshots);
  const step = left.find((it) => it.name === failed.name);
  const text = `Correct “${stepTitle(failed)}”, then run what is left as a new pipeline`;
  if (!step || !replaceDraft({ title, steps: left }, text)) return;
  editStep(step);
  revealing.value = { focus: false };
}
