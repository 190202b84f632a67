/** Submits the input of a task again. The form stays as it is. */
import { findCapability } from "../catalogue";
import { fillForm } from "../form/fill";
import { notifyRefusal } from "../notices/refusal";
import { newKey } from "../parts/newKey";
import type { Values } from "../storage";
import { type Entry, headingOf } from "./entry";
import { findEntry } from "./store";
import { goOn, isUnknown, repeatCreate, submitTask } from "./submit";
import { readInput } from "./taskInput";
import { openTask, openTasksKnown } from "./unsettled";
import { isWorking } from "./work";

const running = new Set<string>();

/** Submits a new task, or continues an unsettled task with the same input. */
export async function rerun(entry: Entry): Promise<void> {
  // A second press would make a second task.
  if (running.has(entry.key)) return;
  running.add(entry.key);
  try {
    await submitAgain(entry);
  } finally {
    running.delete(entry.key);
  }
}

async function submitAgain(entry: Entry): Promise<void> {
  const capability = findCapability(entry.capability);
  const input = await readInput(entry.key);
  if (!capability || !input) return;
  // If the browser stored no files, only the ids of the uploaded files are left.
  const values = input.withoutFiles
    ? (input.body ?? input.values)
    : input.values;
  await openTasksKnown(capability);
  const open = openTask(capability, values);
  const submitting = open
    ? goOn(open)
    : submitTask(newKey(), capability.name, values);
  await submitting.catch((failure) => explain(entry, failure, input.values));
}

/** Repeats a create whose outcome is unknown, with its key. */
export async function repeat(entry: Entry): Promise<void> {
  // The create is being repeated already.
  if (isWorking(entry.key)) return;
  const input = await readInput(entry.key);
  await repeatCreate(entry).catch((failure) =>
    explain(entry, failure, input?.values),
  );
}

export function explain(
  entry: Entry,
  failure: unknown,
  values: Values = {},
): void {
  const capability = findCapability(entry.capability);
  // The card of the task shows an unknown outcome itself.
  const isShown =
    findEntry(entry.key)?.step === "unknown" || isUnknown(failure);
  if (!capability || isShown) return;
  const heading = headingOf(entry);
  notifyRefusal(heading, failure, () => fillForm(capability, values, heading));
}
