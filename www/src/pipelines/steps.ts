/** The tasks of steps, which the list shows inside their pipelines. */
import type { PipelineSnapshot, StepSnapshot } from "mediagate";
import { client } from "../client";
import { opened } from "../opened";
import {
  capabilityTitle,
  type Entry,
  isOver,
  type Notes,
} from "../tasks/entry";
import { findTask, records, update, whenLoaded } from "../tasks/store";
import { stepTitle } from "./names";

/** Lists the tasks of a pipeline's steps. Those in the list become the pipeline's. */
export async function listSteps(
  pipeline: string,
  steps: readonly StepSnapshot[],
  createdAt: string,
): Promise<void> {
  const [store, media] = await Promise.all([opened, client(), whenLoaded]);
  for (const step of steps) {
    const { taskId: id, state } = step;
    if (!id) continue;
    const own = stepTitle(step);
    const title = own === capabilityTitle(step) ? undefined : own;
    const entry = findTask(id);
    const began = isOver(state) ? createdAt : new Date().toISOString();
    if (!entry) {
      const added = await store?.add(
        media,
        [{ ...step, id, createdAt: began }],
        { metadata: { pipeline, title } },
      );
      // The history has added the task, and the list does not have it yet.
      if (added === 0)
        await store?.update({ id, capability: step.capability }, (notes) => ({
          title,
          ...(notes as Notes),
          pipeline,
        }));
    } else if (entry.pipeline !== pipeline)
      await update(entry.key, { pipeline, title: entry.title ?? title });
  }
}

/** Returns the keys of a pipeline's tasks in the list, also those of earlier attempts. */
export function tasksOf(pipeline: string): string[] {
  return records.value
    .filter(
      (task) => task.pipeline === pipeline && task.removedAt === undefined,
    )
    .map(({ key }) => key);
}

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
    steps.some(({ taskId }) => taskId === entry.task?.id)
  );
}
