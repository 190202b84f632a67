import type { PipelineState, StepState } from "../types/pipeline.js";
import type { TaskState } from "../types/task.js";
import { ownMember, phrase } from "./phrases.js";

/**
 * Returns the word for the state of a task or a pipeline, such as "Done" for `SUCCEEDED`. A state
 * that is not in capital letters, as a media service may send it, is returned unchanged.
 *
 * @param state - `undefined` for a task before its first poll: "Submitted".
 */
export function stateWord(
  state: TaskState | PipelineState | undefined,
): string {
  if (!state) return "Submitted";
  if (state === "SUCCEEDED") return "Done";
  return /^[A-Z_]+$/.test(state) ? phrase(state) : state;
}

const STEPS = {
  CREATING: "Sending",
  SKIPPED: "Not run: a step that it uses did not succeed",
  CANCELLED: "Not sent",
  UNKNOWN: "Outcome unknown: the task may exist, and may have cost credits",
};

/** Returns the words for the state of a pipeline's step. */
export function stepWord(state: StepState): string {
  return ownMember(STEPS, state) ?? stateWord(state);
}
