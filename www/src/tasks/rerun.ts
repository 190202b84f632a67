/** Runs the input of a task again, as a new task; the form stays as it is. */
import { findCapability } from "../catalogue";
import { fillForm } from "../form/fill";
import { notifyRefusal } from "../notices/refusal";
import { type Entry, headingOf } from "./entry";
import { isUnknown, submitTask } from "./submit";
import { readInput } from "./taskInput";

export async function rerun(entry: Entry): Promise<void> {
  const capability = findCapability(entry.capability);
  const input = await readInput(entry.key);
  if (!capability || !input) return;
  // Where the browser stored no files, the ids of the uploaded ones are all that is left of them.
  const values = input.withoutFiles ? (input.body ?? input.values) : input.values;
  await submitTask(crypto.randomUUID(), capability.name, values).catch((failure: unknown) => {
    const heading = headingOf(entry);
    if (!isUnknown(failure)) notifyRefusal(heading, failure, () => fillForm(capability, input.values, heading));
  });
}
