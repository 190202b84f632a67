import type { CapabilityName } from "./generated/capabilities.js";
import { isObject } from "./options.js";
import { outputsOf } from "./output.js";
import { isRecord, pipelineOf, progressOf } from "./records.js";
import type { PipelineSnapshot } from "./types/pipeline.js";
import type { TaskSnapshot } from "./types/task.js";

/** The snapshots by their records, so that a record always gives the same object. */
const snapshots = new WeakMap<object, TaskSnapshot | PipelineSnapshot>();

/**
 * Returns the snapshot of a task, or of a pipeline if there is no `capability`.
 *
 * @param id - `undefined` for a result that came without a task.
 * @param record - `undefined` before the first one.
 * @param unansweredSince - The time since which the task can't be read, in milliseconds since 1970.
 */
export function snapshotOf(
  id = "",
  capability: string | undefined,
  state: string | undefined,
  progress: number | undefined,
  record: unknown,
  unansweredSince?: number,
): TaskSnapshot | PipelineSnapshot {
  const isCacheable = isRecord(record) && unansweredSince === undefined;
  const known = isCacheable ? snapshots.get(record) : undefined;
  if (known?.id === id) return known;
  const members = isObject(record) ? record : {};
  const snapshot =
    capability === undefined
      ? pipelineSnapshot(id, members)
      : {
          id,
          capability: capability as CapabilityName,
          state,
          progress,
          ...progressOf(members),
          ...(unansweredSince !== undefined && {
            unansweredSince: new Date(unansweredSince).toISOString(),
          }),
          outputs: outputsOf(members.outputs, id),
          raw: record,
        };
  if (isCacheable) snapshots.set(record, snapshot);
  return snapshot;
}

function pipelineSnapshot(
  id: string,
  record: Record<string, unknown>,
): PipelineSnapshot {
  const pipeline = pipelineOf(record, outputsOf);
  const used = new Set(pipeline.steps.flatMap((step) => step.uses));
  const last = pipeline.steps.filter((step) => !used.has(step.name));
  return { ...pipeline, id, outputs: last.flatMap((step) => step.outputs) };
}
