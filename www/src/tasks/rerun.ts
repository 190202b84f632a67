/** Submits the input of a task again. The form stays as it is. */
import { effect, untracked } from "@preact/signals";
import { isMediagateError } from "mediagate";
import type { UnfinishedCreate } from "mediagate/store";
import { findCapability } from "../catalogue";
import { fillForm } from "../form/fill";
import { notifyRefusal } from "../notices/refusal";
import { newKey } from "../parts/newKey";
import { type Entry, headingOf } from "./entry";
import { findEntry, isWhole, storedCreates } from "./store";
import {
  dropPending,
  goOn,
  isAborted,
  isRejected,
  isUnknown,
  relist,
  submitTask,
} from "./submit";
import { openTask, openTasksKnown } from "./unsettled";

/** The age at which nobody expects a create any more, in milliseconds: a day. */
const EXPECTED_MS = 86_400_000;

/** Submits a new task, or continues an unsettled task with the same input. */
export async function rerun(entry: Entry): Promise<void> {
  const capability = findCapability(entry.capability);
  const { values, body } = entry;
  if (!capability || !values) return;
  // If the browser stored no files, only the ids of the uploaded files are left.
  const input = isWhole(entry) ? values : (body ?? values);
  await openTasksKnown();
  // Finds the create of a first press, too. A second create would make a second task.
  const open = openTask(capability, input);
  if (open) return repeat(open);
  if (entry.step === "refused") dropPending([entry.key]);
  await submitTask(newKey(), capability.name, input).catch((failure) => {
    // The stage shows another failure. A cancel brings back what was tried again.
    if (entry.step === "refused" && isAborted(failure)) relist(entry);
  });
}

/** Goes on with a create that was interrupted, or whose outcome is unknown. */
export async function repeat(entry: Entry): Promise<void> {
  await goOn(entry).catch((failure) => explain(entry, failure));
}

/**
 * The keys of the creates with which this page has gone on by itself. If the storage is full,
 * neither an error nor a task is stored, and the create would go on again and again.
 */
const resumed = new Set<string>();

/** Goes on with each create whose page was left, once no other tab works on it. */
export function resumeCreates(): void {
  effect(() => {
    for (const create of storedCreates.value)
      if (isLeft(create)) untracked(() => void resume(create.idempotencyKey));
  });
}

function isLeft(create: UnfinishedCreate): boolean {
  const { status, error, resumable, createdAt } = create;
  const isIdle = status === "interrupted" || status === "unknown";
  const isExpected = Date.now() - Date.parse(createdAt) < EXPECTED_MS;
  return isIdle && !error && resumable && isExpected;
}

async function resume(key: string): Promise<void> {
  const entry = findEntry(key);
  // This page may have a task that could not be stored.
  if (!entry || entry.task || entry.removedAt !== undefined) return;
  if (resumed.has(key)) return;
  resumed.add(key);
  await goOn(entry).catch((failure: unknown) => {
    // Another tab has settled or forgotten the create.
    if (isMediagateError(failure) && failure.code === "invalid_argument")
      return;
    explain(entry, failure);
  });
}

function explain(entry: Entry, failure: unknown): void {
  const capability = findCapability(entry.capability);
  const step = findEntry(entry.key)?.step;
  // A create that the gateway has refused may still be in the list as unknown.
  const isListed =
    step === "refused" || (step === "unknown" && !isRejected(failure));
  if (!capability || isListed || isUnknown(failure)) return;
  const heading = headingOf(entry);
  const { values = {} } = entry;
  notifyRefusal(heading, failure, () => fillForm(capability, values, heading));
}
