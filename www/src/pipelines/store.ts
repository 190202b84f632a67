/** The pipelines of the gateway's history, newest first: each is followed until it has ended, on whatever device it was started. */
import { computed, signal } from "@preact/signals";
import { isMediagateError, type PipelineEntry, type PipelineSnapshot } from "mediagate";
import { client } from "../client";
import { type ShownError, toShownError } from "../parts/Failure";
import { removedStorage } from "../storage";
import { follow } from "../tasks/follow";
import { removeTasks } from "../tasks/undo";
import { isWorking } from "../tasks/work";
import { listSteps, tasksOf } from "./steps";

/** The entry of the history; its steps once they were read. */
export interface Pipeline extends PipelineEntry, Partial<Pick<PipelineSnapshot, "steps" | "resumable">> {
  /** Why it cannot be followed. */
  failure?: ShownError;
}

const RUNNING = "RUNNING";

const records = signal<readonly Pipeline[]>([]);
/** Their ids, until the gateway has forgotten them. */
const removed = signal<readonly string[]>([]);
const removedKnown = removedStorage.read().then((ids) => setRemoved([...removed.value, ...ids]));

export const pipelines = computed(() => records.value.filter((it) => !removed.value.includes(it.id)));

export function isRunning({ state }: Pipeline): boolean {
  return state === RUNNING;
}

export function headingOf({ title }: Pipeline): string {
  return title || "Pipeline";
}

/** The key of what the page does to follow it. */
export function keyOf({ id }: Pick<Pipeline, "id">): string {
  return `pipeline-${id}`;
}

/** Adds those that are not listed; returns how many. */
export function listPipelines(entries: readonly PipelineEntry[]): number {
  const added = entries.filter((it) => !find(it.id));
  for (const it of added) change(it);
  for (const it of entries) if (it.state === RUNNING) followPipeline(it.id);
  void removedKnown.then(() => forgetRemoved(entries.filter((it) => removed.value.includes(it.id))));
  return added.filter((it) => !removed.value.includes(it.id)).length;
}

/** Lists a pipeline as it is now. */
export function show({ id, title, state, created_at, ended_at, resumable, steps }: PipelineSnapshot): void {
  if (state === undefined || created_at === undefined) return;
  const ended = ended_at === undefined ? {} : { ended_at };
  change({ id, ...(title !== undefined && { title }), state, created_at, resumable, steps, ...ended });
  listSteps(id, steps, created_at);
  if (state === RUNNING) followPipeline(id);
}

/** Reads a pipeline, and follows it until it has ended. */
export function followPipeline(id: string): void {
  if (isWorking(keyOf({ id }))) return;
  void follow<PipelineSnapshot>(keyOf({ id }), {
    open: async () => (await client()).pipelineById(id),
    show,
    stopped: (failure) => {
      const known = find(id);
      if (known) change({ ...known, failure: toShownError(failure) });
    },
  });
}

/** Begins anew what failed, was skipped or cancelled. */
export async function resumePipeline(id: string): Promise<void> {
  show(await (await client()).pipelineById(id).resume());
}

/** Stops what is not sent yet. */
export async function cancelPipeline(id: string): Promise<void> {
  show(await (await client()).pipelineById(id).cancel());
}

/** Removes one that has ended, with its tasks, so that a person can bring it back. */
export function removePipeline(pipeline: Pipeline): void {
  const { id } = pipeline;
  setRemoved([...removed.value, id]);
  removeTasks(tasksOf(id), {
    heading: headingOf(pipeline),
    bringBack: () => setRemoved(removed.value.filter((it) => it !== id)),
    discard: () => void forgetRemoved([pipeline]),
  });
}

/** Where the gateway does not forget one, it is tried again when its history next has it. */
async function forgetRemoved(entries: readonly Pick<PipelineEntry, "id" | "state">[]): Promise<void> {
  for (const { id, state } of entries) {
    if (state === RUNNING) continue;
    try {
      const media = await client();
      await media.forget(media.pipelineById(id), { maxRetries: 0 });
    } catch (failure) {
      if (!isMediagateError(failure) || failure.status !== 404) return;
    }
    records.value = records.value.filter((it) => it.id !== id);
    setRemoved(removed.value.filter((it) => it !== id));
  }
}

function setRemoved(ids: readonly string[]): void {
  removed.value = [...new Set(ids)];
  void removedStorage.write(removed.value);
}

function find(id: string): Pipeline | undefined {
  return records.value.find((it) => it.id === id);
}

function change(pipeline: Pipeline): void {
  const others = records.value.filter((it) => it.id !== pipeline.id);
  records.value = [...others, pipeline].sort((one, other) => other.created_at.localeCompare(one.created_at));
}
