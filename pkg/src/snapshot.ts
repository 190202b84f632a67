import type { CapabilityName } from "./generated/capabilities.js";
import { isObject } from "./options.js";
import { outputsOf } from "./output.js";
import {
  type PipelineRecord,
  pipelineOf,
  recordsOf,
  type StepRecord,
  stepOf,
} from "./records.js";
import type { PipelineSnapshot } from "./types/pipeline.js";
import type { Eta, TaskSnapshot } from "./types/task.js";

/** The snapshots by their records, so that a record always gives the same object. */
const snapshots = new WeakMap<object, TaskSnapshot | PipelineSnapshot>();

/**
 * Returns the snapshot of a task or a pipeline.
 *
 * @param id - The id; `undefined` for a result that came without a task.
 * @param capability - The capability of a task; `undefined` for a pipeline.
 * @param state - The state of a task.
 * @param progress - The progress of a task.
 * @param record - The whole record; `undefined` before the first one.
 */
export function snapshotOf(
  id = "",
  capability: string | undefined,
  state: string | undefined,
  progress: number | undefined,
  record: unknown,
): TaskSnapshot | PipelineSnapshot {
  const isCacheable = typeof record === "object" && record !== null;
  const known = isCacheable ? snapshots.get(record) : undefined;
  if (known?.id === id) return known;
  const snapshot =
    capability === undefined
      ? pipelineSnapshot(id, record)
      : taskSnapshot(id, capability as CapabilityName, state, progress, record);
  if (isCacheable) snapshots.set(record, snapshot);
  return snapshot;
}

function taskSnapshot(
  id: string,
  capability: CapabilityName,
  state: string | undefined,
  progress: number | undefined,
  raw: unknown,
): TaskSnapshot {
  const record = isObject(raw) ? raw : {};
  const { eta, changed_at, unanswered_since, unfinished } = record;
  return {
    id,
    capability,
    state,
    progress,
    ...(isObject(eta) && { eta: eta as unknown as Eta }),
    ...(typeof changed_at === "string" && { changedAt: changed_at }),
    ...(typeof unanswered_since === "string" && {
      unansweredSince: unanswered_since,
    }),
    ...(unfinished === true && { unfinished }),
    outputs: outputsOf(record.outputs, id),
    raw,
  };
}

function pipelineSnapshot(id: string, raw: unknown): PipelineSnapshot {
  // Before the pipeline was first read, there is no record.
  const record = (isObject(raw) ? raw : {}) as Partial<PipelineRecord>;
  const steps = recordsOf<StepRecord>(record.steps).map((step) => ({
    ...stepOf(step),
    outputs: outputsOf(step.outputs, step.task_id),
  }));
  const used = new Set(steps.flatMap((step) => step.uses));
  const last = steps.filter((step) => !used.has(step.name));
  return {
    ...pipelineOf(record as PipelineRecord),
    id,
    resumable: record.resumable ?? false,
    steps,
    outputs: last.flatMap((step) => step.outputs),
  };
}
