/** The tasks of steps, which the list shows inside their pipelines. */
import type { PipelineSnapshot, StepSnapshot } from "mediagate";
import { capabilityTitle, type Entry, isOver } from "../tasks/entry";
import { failureOf, warningsOf } from "../tasks/record";
import { reconcile } from "../tasks/resume";
import { addAll, findTask, records, update, whenLoaded } from "../tasks/store";
import { stepTitle } from "./names";

export function listSteps(
  pipeline: string,
  steps: readonly StepSnapshot[],
  createdAt: string,
): void {
  void whenLoaded.then(async () => {
    const created = steps.flatMap((step) =>
      step.taskId ? [{ ...step, id: step.taskId }] : [],
    );
    await addAll(
      created
        .filter(({ id }) => !findTask(id))
        .map((step) => entryOf(step, pipeline, createdAt)),
    );
    for (const step of created) mark(step, pipeline);
  });
}

/** Returns the keys of a pipeline's tasks in the list, also those of earlier attempts. */
export function tasksOf(pipeline: string): string[] {
  return records.value
    .filter(
      (task) => task.pipeline === pipeline && task.removedAt === undefined,
    )
    .map(({ key }) => key);
}

type CreatedStep = StepSnapshot & { id: string };

/** Returns steps with members of the promised types. The gateway may have another version. */
export function normalSteps(steps: readonly StepSnapshot[]): StepSnapshot[] {
  return steps.map((step) => {
    const { name, state, uses, outputs, error, ...others } = step;
    const list = (value: unknown) => (Array.isArray(value) ? value : []);
    const known = {
      name: String(name),
      state: String(state),
      uses: list(uses),
      outputs: list(outputs),
    };
    return { ...others, ...known, ...(error && { error: normalError(error) }) };
  });
}

function normalError({
  message,
  ...others
}: NonNullable<StepSnapshot["error"]>) {
  return typeof message === "string" ? { ...others, message } : others;
}

/**
 * Returns true if a task is shown inside its pipeline, unlike a running task of an earlier attempt.
 */
export function isInside(
  entry: Entry,
  { steps }: Pick<PipelineSnapshot, "steps"> | { steps?: undefined },
): boolean {
  return (
    !steps ||
    isOver(entry.state) ||
    steps.some(({ taskId }) => taskId === entry.saved?.id)
  );
}

function entryOf(
  { id, capability, state, outputs, warnings, error }: CreatedStep,
  pipeline: string,
  createdAt: string,
): Entry {
  return {
    // The key of the history's entry, so that a task is listed once.
    key: `listed-${id}`,
    saved: { id, capability },
    elsewhere: true,
    pipeline,
    capability,
    state,
    outputs,
    warnings: warningsOf({ warnings }),
    failure: failureOf(state, { error }),
    startedAt: isOver(state) ? Date.parse(createdAt) || Date.now() : Date.now(),
  };
}

function mark(step: CreatedStep, pipeline: string): void {
  const entry = findTask(step.id);
  // A person has deleted the task.
  if (!entry || entry.gone) return;
  const own = stepTitle(step);
  const title =
    entry.title ?? (own === capabilityTitle(step) ? undefined : own);
  if (entry.pipeline !== pipeline || entry.title !== title)
    void update(entry.key, { pipeline, title });
  reconcile(entry.key);
}
