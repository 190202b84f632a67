/** A step of a pipeline: its task, or why there is none. */
import { Clock, LoaderCircle } from "lucide";
import type { StepSnapshot } from "mediagate";
import { Failure, type ShownError } from "../parts/Failure";
import { StateIcon } from "../tasks/StateIcon";
import { findTask } from "../tasks/store";
import { TaskCard } from "../tasks/TaskCard";
import { stepTitle } from "./names";

interface StepItemProps {
  step: StepSnapshot;
  /** All of the pipeline. */
  steps: readonly StepSnapshot[];
  newest: boolean;
}

export function StepItem({ step, steps, newest }: StepItemProps) {
  const entry = findTask(step.taskId ?? "");
  if (entry && entry.removedBy === undefined)
    return <TaskCard entry={entry} newest={newest} isStep />;
  const error = errorOf(step);
  return (
    <li class="step" data-state={step.state}>
      <StateIcon
        state={step.state}
        unsettled={step.state === "WAITING" ? Clock : LoaderCircle}
      />
      <div class="what">
        <b>{stepTitle(step)}</b>
        <span class="facts">{stateWords(step, steps)}</span>
        {error && <Failure of={error} />}
      </div>
    </li>
  );
}

const WORDS = new Map([
  ["CREATING", "is being sent"],
  ["RUNNING", "runs"],
  ["SUCCEEDED", "succeeded"],
  ["FAILED", "failed"],
  ["SKIPPED", "not run, since a step that it uses did not succeed"],
  ["CANCELLED", "not sent"],
  ["UNKNOWN", "outcome unknown: it may exist, and may have cost credits"],
]);

function stateWords(
  { state, uses }: StepSnapshot,
  steps: readonly StepSnapshot[],
): string {
  if (state !== "WAITING") return WORDS.get(state) ?? state;
  const open = steps.filter(
    (it) => uses.includes(it.name) && it.state !== "SUCCEEDED",
  );
  return open.length > 0
    ? `waits for ${open.map(stepTitle).join(", ")}`
    : "the results that it uses are being moved";
}

/** The gateway's own message of a step that was not created. */
function errorOf({ error, taskId }: StepSnapshot): ShownError | undefined {
  if (!error || taskId) return undefined;
  const { reason } = error;
  return {
    code: typeof reason === "string" ? reason : "task_failed",
    message: error.message ?? "The media service gave no reason.",
  };
}
