/** Submits the input of a task again; the form stays as it is. */

import { findCapability } from "../catalogue";
import { fillForm } from "../form/fill";
import { notifyRefusal } from "../notices/refusal";
import { newKey } from "../parts/newKey";
import type { Values } from "../storage";
import { type Entry, headingOf } from "./entry";
import { findEntry } from "./store";
import { isUnknown, repeatCreate, submitTask } from "./submit";
import { readInput } from "./taskInput";

/** As a new task. */
export async function rerun(entry: Entry): Promise<void> {
  const capability = findCapability(entry.capability);
  const input = await readInput(entry.key);
  if (!capability || !input) return;
  // Where the browser stored no files, the ids of the uploaded ones are all that is left of them.
  const values = input.withoutFiles ? (input.body ?? input.values) : input.values;
  await submitTask(newKey(), capability.name, values).catch((failure) => explain(entry, failure, input.values));
}

/** With the same key, where it is unknown what became of the create. */
export async function repeat(entry: Entry): Promise<void> {
  const input = await readInput(entry.key);
  await repeatCreate(entry).catch((failure) => explain(entry, failure, input?.values ?? {}));
}

/** The card of a task whose outcome is unknown says so itself. */
function explain(entry: Entry, failure: unknown, values: Values): void {
  const capability = findCapability(entry.capability);
  const isShown = findEntry(entry.key)?.step === "unknown" || isUnknown(failure);
  if (!capability || isShown) return;
  const heading = headingOf(entry);
  notifyRefusal(heading, failure, () => fillForm(capability, values, heading));
}
