/** The tasks of pipelines' steps: tasks like any others, which the list shows inside their pipelines. */
import type { StepSnapshot } from "mediagate";
import { capabilityTitle, type Entry, isOver } from "../tasks/entry";
import { reconcile } from "../tasks/resume";
import { addAll, findTask, records, update, whenLoaded } from "../tasks/store";
import { stepTitle } from "./names";

/** Lists the tasks of the steps that have one. */
export function listSteps(pipeline: string, steps: readonly StepSnapshot[], createdAt: string): void {
  void whenLoaded.then(async () => {
    const created = steps.flatMap((step) => (step.task_id ? [{ ...step, id: step.task_id }] : []));
    await addAll(created.filter((it) => !findTask(it.id)).map((it) => entryOf(it, pipeline, createdAt)));
    for (const step of created) mark(step, pipeline);
  });
}

/** The keys of a pipeline's tasks that are in the list, also of steps that were begun anew. */
export function tasksOf(pipeline: string): string[] {
  return records.value.filter((it) => it.pipeline === pipeline && it.removedBy === undefined).map((it) => it.key);
}

type CreatedStep = StepSnapshot & { id: string };

function entryOf({ id, capability, state, outputs }: CreatedStep, pipeline: string, createdAt: string): Entry {
  return {
    // As the history's entries have it, so that both are the same.
    key: `listed-${id}`,
    saved: { id, capability },
    elsewhere: true,
    pipeline,
    capability,
    state,
    outputs,
    startedAt: isOver(state) ? Date.parse(createdAt) || Date.now() : Date.now(),
  };
}

function mark(step: CreatedStep, pipeline: string): void {
  const entry = findTask(step.id);
  if (!entry || entry.gone) return;
  const own = stepTitle(step);
  const title = entry.title ?? (own === capabilityTitle(step) ? undefined : own);
  if (entry.pipeline !== pipeline || entry.title !== title) void update(entry.key, { pipeline, title });
  reconcile(entry.key);
}
