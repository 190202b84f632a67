// Snapshots in the database: plain data, without what is only true when it is read.

import { hasEnded } from "../ended.js";
import { outputWith } from "../output.js";
import type { Output, TaskSnapshot } from "../types/task.js";

/** Returns a snapshot in its stored form; `undefined` before the task was read. */
export function storedOf({
  progress,
  eta,
  unansweredSince,
  ...members
}: TaskSnapshot): TaskSnapshot | undefined {
  if (members.state === undefined && members.raw === undefined)
    return undefined;
  // A copy has no methods, which IndexedDB does not take.
  const outputs = members.outputs.map((output) => ({ ...output }) as Output);
  // The estimate counts from now on, for whoever reads the row.
  const received = eta && { eta: { receivedAt: Date.now(), ...eta } };
  return { ...members, ...received, outputs };
}

export function snapshotOf(stored: TaskSnapshot): TaskSnapshot {
  return { ...stored, outputs: stored.outputs.map(outputWith) };
}

/** Returns true if two snapshots show the same, so that only one needs to be stored. */
export function isSame(
  one: TaskSnapshot | undefined,
  other: TaskSnapshot | undefined,
): boolean {
  return JSON.stringify(shownOf(one)) === JSON.stringify(shownOf(other));
}

function shownOf(snapshot: TaskSnapshot | undefined): unknown {
  if (!snapshot) return undefined;
  const { state, outputs, error, warnings, unfinished, eta } = snapshot;
  const { model, credits } = snapshot;
  // An estimate changes with each response, and one is enough to count it down.
  const hasEta = eta !== undefined;
  return {
    state,
    outputs,
    error,
    warnings,
    unfinished,
    model,
    credits,
    hasEta,
  };
}

/** Returns the time of a task's end, in milliseconds since 1970, if a snapshot is the first of it. */
export function endOf(
  snapshot: TaskSnapshot | undefined,
  known?: number,
): number | undefined {
  return known ?? (hasEnded(snapshot?.state) ? Date.now() : undefined);
}
