/** The tasks of pipelines' steps: tasks like any others, which the list shows inside their pipelines. */
import type { PipelineSnapshot, StepSnapshot } from "mediagate";
import { capabilityTitle, type Entry, isOver } from "../tasks/entry";
import { failureOf } from "../tasks/outcome";
import { reconcile } from "../tasks/resume";
import { addAll, findTask, records, update, whenLoaded } from "../tasks/store";
import { stepTitle } from "./names";

/** Lists the tasks of the steps that have one. */
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
        .filter((it) => !findTask(it.id))
        .map((it) => entryOf(it, pipeline, createdAt)),
    );
    for (const step of created) mark(step, pipeline);
  });
}

/** The keys of a pipeline's tasks that are in the list, also of steps that were begun anew. */
export function tasksOf(pipeline: string): string[] {
  return records.value
    .filter((it) => it.pipeline === pipeline && it.removedAt === undefined)
    .map((it) => it.key);
}

type CreatedStep = StepSnapshot & { id: string };

/** As the types promise: a gateway may be of another version. */
export function normalSteps(steps: readonly StepSnapshot[]): StepSnapshot[] {
  return steps.map((it) => {
    const { name, state, uses, outputs, error, ...others } = it;
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

/** Whether the list shows a task inside its pipeline: not one of an earlier attempt that still runs. */
export function isInside(
  entry: Entry,
  { steps }: Pick<PipelineSnapshot, "steps"> | { steps?: undefined },
): boolean {
  return (
    !steps ||
    isOver(entry.state) ||
    steps.some((it) => it.taskId === entry.saved?.id)
  );
}

function entryOf(
  { id, capability, state, outputs, error }: CreatedStep,
  pipeline: string,
  createdAt: string,
): Entry {
  return {
    // As the history's entries have it, so that both are the same.
    key: `listed-${id}`,
    saved: { id, capability },
    elsewhere: true,
    pipeline,
    capability,
    state,
    outputs,
    failure: failureOf(state, { error }),
    startedAt: isOver(state) ? Date.parse(createdAt) || Date.now() : Date.now(),
  };
}

function mark(step: CreatedStep, pipeline: string): void {
  const entry = findTask(step.id);
  if (!entry || entry.gone) return;
  const own = stepTitle(step);
  const title =
    entry.title ?? (own === capabilityTitle(step) ? undefined : own);
  if (entry.pipeline !== pipeline || entry.title !== title)
    void update(entry.key, { pipeline, title });
  reconcile(entry.key);
}
