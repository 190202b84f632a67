/** The pipelines of the gateway's history, newest first: each is followed until it has ended, on whatever device it was started. */
import { computed, signal } from "@preact/signals";
import type {
  Pipeline as Followed,
  PipelineEntry,
  PipelineSnapshot,
} from "mediagate";
import { client } from "../client";
import { type ShownError, toShownError } from "../parts/Failure";
import type { RemovedPipeline } from "../storage";
import { follow } from "../tasks/follow";
import { records as tasks } from "../tasks/store";
import { isWorking } from "../tasks/work";
import { listSteps, normalSteps } from "./steps";

/** The entry of the history; its steps once they were read. */
export interface Pipeline
  extends PipelineEntry,
    Partial<Pick<PipelineSnapshot, "steps" | "resumable">> {
  /** Why it cannot be followed. */
  failure?: ShownError;
}

const RUNNING = "RUNNING";
/** A gateway limits how many requests a caller sends; the others are read when they are unfolded. */
const MAX_READ = 20;

export const records = signal<readonly Pipeline[]>([]);

/** The pipelines that were removed, until the gateway has forgotten them. */
export const removed = signal<readonly RemovedPipeline[]>([]);

export const pipelines = computed(() => {
  const hidden = new Set(removed.value.map((it) => it.id));
  return records.value.filter((it) => !hidden.has(it.id));
});

export function isRunning({ state }: Pick<Pipeline, "state">): boolean {
  return state === RUNNING;
}

export function headingOf({ title }: Pipeline): string {
  return title || "Pipeline";
}

/** The key of what the page does to follow it. */
export function keyOf({ id }: Pick<Pipeline, "id">): string {
  return `pipeline-${id}`;
}

/** Takes over what the history has: what is new in it is read, and what runs is followed. */
export function listPipelines(entries: readonly PipelineEntry[]): void {
  const known = entries.filter(
    (it) =>
      typeof it.id === "string" && !Number.isNaN(Date.parse(it.createdAt)),
  );
  for (const it of known) {
    const listed = find(it.id);
    if (!listed) change(it);
    const isChanged =
      listed?.steps &&
      (listed.state !== it.state || listed.endedAt !== it.endedAt);
    if (isRunning(it) || isChanged) followPipeline(it.id);
  }
  void readEnded(known.filter((it) => !isRunning(it)));
}

/** Reads those of which the list may have tasks that it does not show inside; the others follow when the history is next read. */
async function readEnded(entries: readonly PipelineEntry[]): Promise<void> {
  const isUnread = ({ id }: PipelineEntry) =>
    !find(id)?.steps && tasks.value.every((it) => it.pipeline !== id);
  try {
    for (const { id } of entries.filter(isUnread).slice(0, MAX_READ))
      await readPipeline(id);
  } catch {
    // Where one can't be read, the next one likely can't either.
  }
}

/** Reads a pipeline once. */
export async function readPipeline(id: string): Promise<void> {
  show(await (await open(id)).refresh());
}

/** Lists a pipeline as it is now. */
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
  listSteps(id, normal, createdAt);
  if (state === RUNNING) followPipeline(id);
}

/** Reads a pipeline, and follows it until it has ended. */
export function followPipeline(id: string): void {
  if (isWorking(keyOf({ id }))) return;
  void follow<PipelineSnapshot>(keyOf({ id }), {
    async open() {
      const followed = await open(id);
      // One that had ended here may have been resumed elsewhere, which its updates would not show.
      await followed.refresh();
      return followed;
    },
    show,
    stopped: (failure) => {
      const known = find(id);
      if (known) change({ ...known, failure: toShownError(failure) });
    },
  });
}

/** Begins anew what failed, was skipped or cancelled. */
export async function resumePipeline(id: string): Promise<void> {
  show(await (await open(id)).resume());
}

/** Stops what is not sent yet. */
export async function cancelPipeline(id: string): Promise<void> {
  show(await (await open(id)).cancel());
}

export function find(id: string): Pipeline | undefined {
  return records.value.find((it) => it.id === id);
}

async function open(id: string): Promise<Followed> {
  return (await client()).pipelines.restore(id);
}

function change(pipeline: Pipeline): void {
  const others = records.value.filter((it) => it.id !== pipeline.id);
  const time = ({ createdAt }: Pipeline) => Date.parse(createdAt);
  records.value = [...others, pipeline].sort(
    (one, other) => time(other) - time(one),
  );
}
