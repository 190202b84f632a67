/** Removes pipelines that have ended, with their tasks, so that a person can bring them back. */
import { isMediagateError, type PipelineEntry } from "mediagate";
import { client } from "../client";
import { removedStorage } from "../storage";
import { forgotten } from "../tasks/forgotten";
import { removeTasks } from "../tasks/undo";
import { tasksOf } from "./steps";
import {
  find,
  headingOf,
  hidden,
  isRunning,
  type Pipeline,
  readPipeline,
  records,
} from "./store";

const removedKnown = removedStorage.read().then((ids) => {
  hidden.value = new Set([...hidden.value, ...ids]);
  return new Set(ids);
});

export async function removePipeline(pipeline: Pipeline): Promise<void> {
  const { id } = pipeline;
  // Its tasks are not known otherwise, and would stay.
  if (!find(id)?.steps) await readPipeline(id).catch(() => undefined);
  hide(id, true);
  removeTasks(tasksOf(id), {
    heading: headingOf(pipeline),
    bringBack: () => hide(id, false),
    discard: () => void discard(pipeline),
  });
}

/** Has the gateway forget what the history still has of those that were removed. */
export async function forgetRemoved(
  entries: readonly PipelineEntry[],
): Promise<void> {
  const removed = await removedKnown;
  for (const it of entries) if (removed.has(it.id)) await forget(it);
}

/** Where the gateway does not forget it, that is tried again when its history next has it, also by another page. */
async function discard(pipeline: Pipeline): Promise<void> {
  // It may have been brought back in another way.
  if (!hidden.value.has(pipeline.id)) return;
  (await removedKnown).add(pipeline.id);
  await removedStorage.add(pipeline.id);
  await forget(pipeline);
}

async function forget({
  id,
  state,
}: Pick<Pipeline, "id" | "state">): Promise<void> {
  if (isRunning({ state }) && !find(id)?.failure) return;
  try {
    const media = await client();
    await media.pipelines.forget(id, { maxRetries: 0 });
  } catch (failure) {
    if (!isMediagateError(failure) || failure.status !== 404) return;
  }
  forgotten.add(id);
  records.value = records.value.filter((it) => it.id !== id);
  hide(id, false);
  (await removedKnown).delete(id);
  await removedStorage.delete(id);
}

function hide(id: string, value: boolean): void {
  const others = [...hidden.value].filter((it) => it !== id);
  hidden.value = new Set(value ? [...others, id] : others);
}
