/** The tasks whose creates are not settled: which one a form is about, and what to say of an unknown outcome. */
import type { Capability } from "../catalogue";
import type { ShownError } from "../parts/Failure";
import type { Values } from "../storage";
import { type Entry, isRepeatable, isSubmitting } from "./entry";
import { entries, records, whenLoaded } from "./store";
import { inputKnown, inputSignal } from "./taskInput";

/** The newest task of a capability whose create has these values and is not settled. */
export function unsettledTask(
  { name }: Capability,
  values: Values,
): Entry | undefined {
  return entries.value.find((it) => {
    const isOpen =
      it.capability === name && (isSubmitting(it) || it.step === "unknown");
    return isOpen && isSame(values, inputSignal(it.key).value?.values);
  });
}

/** The same, also of those that a person has removed, which can be brought back: one that can go on with its key. */
export function openTask(
  { name }: Capability,
  values: Values,
): Entry | undefined {
  return records.value.find((it) => {
    const isOpen = isSubmitting(it) || isRepeatable(it);
    return (
      it.capability === name &&
      isOpen &&
      isSame(values, inputSignal(it.key).value?.values)
    );
  });
}

/** The longest time for what is stored, in milliseconds: a browser whose storage hangs may create tasks, too. */
const STORED_MS = 2_000;

/** Waits until the stored tasks of a capability that are not settled are known, with their inputs. */
export async function openTasksKnown({ name }: Capability): Promise<void> {
  const read = async () => {
    await whenLoaded;
    const open = records.value.filter(
      (it) =>
        it.capability === name && (isSubmitting(it) || it.step === "unknown"),
    );
    await Promise.all(open.map((it) => inputKnown(it.key)));
  };
  await Promise.race([
    read(),
    new Promise((resolve) => setTimeout(resolve, STORED_MS)),
  ]);
}

/** Why the outcome of a create is unknown, as it is now. */
export function unknownError(entry: Entry): ShownError {
  if (entry.elsewhere)
    return { code: "outcome_unknown", message: "", unknown: "elsewhere" };
  const failure = entry.failure ?? {
    code: "network",
    message: "The page was left before the response arrived.",
  };
  const isStored = inputSignal(entry.key).value?.body !== undefined;
  const reason = isStored ? (failure.unknown ?? "client") : "unstored";
  return { ...failure, unknown: isRepeatable(entry) ? reason : "expired" };
}

/** Whether two values of forms are equal; a stored file is another object than the chosen one. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof File && other instanceof File)
    return identityOf(one) === identityOf(other);
  if (typeof one !== "object" || typeof other !== "object" || !one || !other)
    return Object.is(one, other);
  const [keys, otherKeys] = [Object.keys(one), Object.keys(other)];
  const [values, otherValues] = [one as Values, other as Values];
  return (
    keys.length === otherKeys.length &&
    keys.every((it) => isSame(values[it], otherValues[it]))
  );
}

function identityOf({ name, size, type, lastModified }: File): string {
  return JSON.stringify([name, size, type, lastModified]);
}
