import type { Capability } from "../catalogue";
import type { ShownError } from "../parts/Failure";
import type { Values } from "../storage";
import { type Entry, isRepeatable, isSubmitting } from "./entry";
import { entries, records, whenLoaded } from "./store";
import { inputKnown, inputSignal } from "./taskInput";

export function unsettledTask(
  { name }: Capability,
  values: Values,
): Entry | undefined {
  return entries.value.find(
    (entry) => isUnsettled(entry, name) && hasInput(entry, values),
  );
}

function isUnsettled(entry: Entry, name: string): boolean {
  return (
    entry.capability === name &&
    (isSubmitting(entry) || entry.step === "unknown")
  );
}

function hasInput({ key }: Entry, values: Values): boolean {
  return isSame(values, inputSignal(key).value?.values);
}

/** Returns the newest task with these values that can continue with its key, even if removed. */
export function openTask(
  { name }: Capability,
  values: Values,
): Entry | undefined {
  return records.value.find(
    (entry) =>
      isUnsettled(entry, name) &&
      (isSubmitting(entry) || isRepeatable(entry)) &&
      hasInput(entry, values),
  );
}

/** The longest wait for the storage, in milliseconds: storage that hangs must not stop a task. */
const STORED_MS = 2_000;

export async function openTasksKnown({ name }: Capability): Promise<void> {
  const read = async () => {
    await whenLoaded;
    const open = records.value.filter((entry) => isUnsettled(entry, name));
    await Promise.all(open.map(({ key }) => inputKnown(key)));
  };
  await Promise.race([
    read(),
    new Promise((resolve) => setTimeout(resolve, STORED_MS)),
  ]);
}

export function unknownError(entry: Entry): ShownError {
  if (entry.elsewhere) return { code: "outcome_unknown", unknown: "elsewhere" };
  const failure = entry.failure ?? {
    code: "network",
    message: "The page was left before the response arrived.",
  };
  const isStored = inputSignal(entry.key).value?.body !== undefined;
  const reason = isStored ? (failure.unknown ?? "response_lost") : "unstored";
  return { ...failure, unknown: isRepeatable(entry) ? reason : "expired" };
}

export function isSame(one: unknown, other: unknown): boolean {
  // A stored file is another object than the chosen file.
  if (one instanceof File && other instanceof File)
    return identityOf(one) === identityOf(other);
  if (typeof one !== "object" || typeof other !== "object" || !one || !other)
    return Object.is(one, other);
  const keys = Object.keys(one);
  const values = one as Values;
  const otherValues = other as Values;
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => isSame(values[key], otherValues[key]))
  );
}

function identityOf({ name, size, type, lastModified }: File): string {
  return JSON.stringify([name, size, type, lastModified]);
}
