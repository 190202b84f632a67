/** Removes pipelines that have ended, with their tasks. A person can bring them back. */
import { isMediagateError, type PipelineEntry } from "mediagate";
import { client } from "../client";
import { choose } from "../stage/shown";
import { readAll, remove, write } from "../storage";
import { removedEntries } from "../tasks/store";
import {
  discard,
  focusTile,
  RESTORABLE_MS,
  removeTasks,
  restoreTasks,
} from "../tasks/undo";
import { forgetStarted } from "./started";
import { tasksOf } from "./steps";
import {
  drop,
  find,
  headingOf,
  isRunning,
  keyOf,
  type Pipeline,
  type RemovedPipeline,
  readPipeline,
  removed,
} from "./store";

/** The prefix of the keys of removed pipelines, stored until the gateway has forgotten them. */
const REMOVED = "pipelines.removed.";

const removedKnown = readAll<RemovedPipeline>(REMOVED).then((stored) => {
  removed.value = [...Object.values(stored), ...removed.value];
});

export async function removePipeline(pipeline: Pipeline): Promise<void> {
  const { id } = pipeline;
  // The tasks of a pipeline that was not read are unknown, and would stay in the list.
  if (!find(id)?.steps) await readPipeline(id).catch(() => undefined);
  const removedAt = Date.now();
  const title = headingOf(pipeline);
  const restorableUntil = removedAt + RESTORABLE_MS;
  await hide({ id, title, removedAt, restorableUntil });
  removeTasks(tasksOf(id), {
    heading: title,
    restore: () => restorePipeline(id),
    focus() {
      choose({ kind: "pipeline", id });
      focusTile(keyOf(pipeline));
    },
  });
}

export function restorePipeline(id: string): void {
  void restore(id);
  restoreTasks(removedTasksOf(id));
}

export async function discardPipeline(
  pipeline: RemovedPipeline,
): Promise<void> {
  const { id } = pipeline;
  await hide({ ...pipeline, restorableUntil: Date.now() });
  await discard(removedTasksOf(id));
  const listed = find(id);
  if (listed) await forget(listed);
}

/** Removes pipelines from the gateway's history that can no longer be restored. */
export async function forgetRemoved(
  entries: readonly PipelineEntry[],
): Promise<void> {
  await removedKnown;
  const now = Date.now();
  const expired = new Set(
    removed.value
      .filter(({ restorableUntil }) => restorableUntil <= now)
      .map(({ id }) => id),
  );
  for (const entry of entries) if (expired.has(entry.id)) await forget(entry);
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
    // The next response with this pipeline tries again, also on another page.
    if (!isMediagateError(failure) || failure.status !== 404) return;
  }
  drop(id);
  await Promise.all([restore(id), forgetStarted(id)]);
}

function removedTasksOf(id: string): string[] {
  return removedEntries.value
    .filter(({ pipeline }) => pipeline === id)
    .map(({ key }) => key);
}

async function hide(pipeline: RemovedPipeline): Promise<void> {
  await removedKnown;
  removed.value = [...others(pipeline.id), pipeline];
  await write({ [REMOVED + pipeline.id]: pipeline });
}

async function restore(id: string): Promise<void> {
  removed.value = others(id);
  await remove([REMOVED + id]);
}

function others(id: string): RemovedPipeline[] {
  return removed.value.filter((pipeline) => pipeline.id !== id);
}
