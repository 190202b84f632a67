import type { StepSnapshot } from "mediagate";
import { stepWord } from "mediagate/words";
import type { ComponentProps } from "preact";
import { Failure, type ShownError } from "../parts/Failure";
import { findTask } from "../tasks/store";
import { TaskCard } from "../tasks/TaskCard";
import { fromWords, stepTitle } from "./names";
import { StepPicture } from "./StepPicture";

interface StepItemProps {
  step: StepSnapshot;
  before: StepSnapshot | undefined;
  steps: readonly StepSnapshot[];
  newest: boolean;
}

export function StepItem({ step, before, steps, newest }: StepItemProps) {
  const from: ComponentProps<"li"> & { "data-from": string | undefined } = {
    "data-from": fromWords(step.uses, before, steps),
  };
  const entry = findTask(step.taskId ?? "");
  if (entry && entry.removedAt === undefined)
    return <TaskCard entry={entry} newest={newest} isStep item={from} />;
  const error = errorOf(step);
  return (
    <li class="step" data-state={step.state} {...from}>
      <StepPicture step={step} />
      <div class="what">
        <b>{stepTitle(step)}</b>
        <span class="facts">{stateWords(step, steps)}</span>
        {error && <Failure error={error} />}
      </div>
    </li>
  );
}

function stateWords(
  { state, uses }: StepSnapshot,
  steps: readonly StepSnapshot[],
): string {
  if (state !== "WAITING") return stepWord(state);
  const open = steps.filter(
    (step) => uses.includes(step.name) && step.state !== "SUCCEEDED",
  );
  return open.length > 0
    ? `Waits for ${open.map(stepTitle).join(", ")}`
    : "Moving the results that it uses";
}

/** Returns the gateway's error of a step without a task. */
function errorOf({ error, taskId }: StepSnapshot): ShownError | undefined {
  if (!error || taskId) return undefined;
  const { reason } = error;
  return {
    code: typeof reason === "string" ? reason : "task_failed",
    message: error.message ?? "The media service gave no reason.",
  };
}
