/** The pipelines of the gateway's history, newest first. Each is followed until its end. */
import { computed, signal } from "@preact/signals";
import type {
  Pipeline as Followed,
  PipelineEntry,
  PipelineSnapshot,
} from "mediagate";
import { observePipeline } from "mediagate/observers";
import { client, connected } from "../client";
import { type ShownError, toShownError } from "../parts/Failure";
import { type Follower, followAll } from "../tasks/reconnect";
import { records as tasks } from "../tasks/store";
import { listSteps, normalSteps } from "./steps";

export interface Pipeline
  extends PipelineEntry,
    Partial<Pick<PipelineSnapshot, "steps" | "resumable">> {
  failure?: ShownError;
}

const RUNNING = "RUNNING";
/** The most pipelines to read at once, since a gateway limits the requests of a caller. */
const MAX_READ = 20;

export interface RemovedPipeline {
  id: string;
  title: string;
  /** Milliseconds since the epoch. */
  removedAt: number;
  /** The end of the time in which it can be restored, in milliseconds since the epoch. */
  restorableUntil: number;
}

export const records = signal<readonly Pipeline[]>([]);

/** The pipelines that the gateway has forgotten. A late response may still list them. */
const forgotten = new Set<string>();

export const removed = signal<readonly RemovedPipeline[]>([]);

export const pipelines = computed(() => {
  const hidden = new Set(removed.value.map(({ id }) => id));
  return records.value.filter(({ id }) => !hidden.has(id));
});

export function isRunning({ state }: Pick<Pipeline, "state">): boolean {
  return state === RUNNING;
}

export function headingOf({ title }: Pipeline): string {
  return title || "Pipeline";
}

export function keyOf({ id }: Pick<Pipeline, "id">): string {
  return `pipeline-${id}`;
}

/** Lists the pipelines of the history, and follows those that run or have changed. */
export function listPipelines(entries: readonly PipelineEntry[]): void {
  const known = entries.filter(
    ({ id, createdAt }) =>
      typeof id === "string" &&
      !forgotten.has(id) &&
      !Number.isNaN(Date.parse(createdAt)),
  );
  for (const entry of known) {
    const listed = find(entry.id);
    if (!listed) change(entry);
    const isChanged =
      listed?.steps &&
      (listed.state !== entry.state || listed.endedAt !== entry.endedAt);
    // An ended pipeline has no updates, but it may have been resumed on another device.
    if (isRunning(entry) || isChanged)
      void readPipeline(entry.id).catch(() => undefined);
  }
  void readEnded(known.filter((entry) => !isRunning(entry)));
}

/** Reads ended pipelines whose tasks the list may show outside of them. */
async function readEnded(entries: readonly PipelineEntry[]): Promise<void> {
  const isUnread = ({ id }: PipelineEntry) =>
    !find(id)?.steps && tasks.value.every((task) => task.pipeline !== id);
  try {
    for (const { id } of entries.filter(isUnread).slice(0, MAX_READ))
      await readPipeline(id);
  } catch {
    // The others are likely to fail, too. They are read with the history or when they are unfolded.
  }
}

export async function readPipeline(id: string): Promise<void> {
  show(await (await open(id)).refresh());
}

export function show({
  id,
  title,
  state,
  createdAt,
  endedAt,
  resumable,
  steps,
}: PipelineSnapshot): void {
  if (state === undefined || createdAt === undefined) return;
  const optional = {
    ...(title !== undefined && { title }),
    ...(endedAt !== undefined && { endedAt }),
  };
  const normal = normalSteps(steps);
  change({ id, state, createdAt, resumable, steps: normal, ...optional });
  void listSteps(id, normal, createdAt).catch(() => undefined);
}

/** Follows each pipeline of the list that runs, until its end. */
export function followPipelines(): void {
  followAll(() => {
    const media = connected.value;
    const wanted = new Map<string, Follower<PipelineSnapshot>>();
    for (const pipeline of media ? pipelines.value : []) {
      if (!media || !isRunning(pipeline) || pipeline.failure) continue;
      const { id } = pipeline;
      wanted.set(keyOf(pipeline), {
        media,
        observe: () => observePipeline(media.pipelines.restore(id)),
        show,
        isOver: (state) => state !== undefined && state !== RUNNING,
        stopped: (failure) => {
          const known = find(id);
          if (known) change({ ...known, failure: toShownError(failure) });
        },
      });
    }
    return wanted;
  });
}

/** Takes a pipeline out of the list that the gateway has forgotten. */
export function drop(id: string): void {
  forgotten.add(id);
  records.value = records.value.filter((pipeline) => pipeline.id !== id);
}

/** Runs the steps again that failed, were skipped or were cancelled. */
export async function resumePipeline(id: string): Promise<void> {
  show(await (await open(id)).resume());
}

export async function cancelPipeline(id: string): Promise<void> {
  show(await (await open(id)).cancel());
}

export function find(id: string): Pipeline | undefined {
  return records.value.find((pipeline) => pipeline.id === id);
}

async function open(id: string): Promise<Followed> {
  return (await client()).pipelines.restore(id);
}

function change(pipeline: Pipeline): void {
  const others = records.value.filter(({ id }) => id !== pipeline.id);
  const time = ({ createdAt }: Pipeline) => Date.parse(createdAt);
  records.value = [...others, pipeline].sort(
    (one, other) => time(other) - time(one),
  );
}
