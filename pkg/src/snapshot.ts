import type { CapabilityName } from "./generated/capabilities.js";
import { isObject } from "./options.js";
import type { PipelineSnapshot, StepSnapshot } from "./types/pipeline.js";
import type { Eta, Output, TaskSnapshot } from "./types/task.js";

/** The snapshots by their records, so that one record always gives the same object. */
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
      ? pipelineOf(id, record)
      : taskOf(id, capability as CapabilityName, state, progress, record);
  if (isCacheable) snapshots.set(record, snapshot);
  return snapshot;
}

function taskOf(
  id: string,
  capability: CapabilityName,
  state: string | undefined,
  progress: number | undefined,
  raw: unknown,
): TaskSnapshot {
  const eta = isObject(raw) ? raw.eta : undefined;
  return {
    id,
    capability,
    state,
    progress,
    ...(isObject(eta) && { eta: eta as unknown as Eta }),
    outputs: outputsOf(raw, id),
    raw,
  };
}

function pipelineOf(id: string, record: unknown): PipelineSnapshot {
  const members = isObject(record) ? record : {};
  const list = Array.isArray(members.steps) ? members.steps : [];
  const steps = (list as StepSnapshot[])
    .filter(isObject)
    .map((step) => ({ ...step, outputs: outputsOf(step, step.task_id) }));
  const used = new Set(steps.flatMap((step) => step.uses ?? []));
  const last = steps.filter((step) => !used.has(step.name));
  const outputs = last.flatMap((step) => step.outputs);
  return { resumable: false, ...members, id, steps, outputs };
}

/**
 * Returns the outputs of a record, each with its task's id and its position, so that it can be an
 * input.
 */
export function outputsOf(record: unknown, task_id = ""): Output[] {
  const outputs = isObject(record) ? record.outputs : undefined;
  if (!Array.isArray(outputs)) return [];
  return outputs.map((output, position) =>
    isObject(output) ? { ...output, task_id, output: position } : output,
  );
}
