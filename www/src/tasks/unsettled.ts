import type { Capability } from "../catalogue";
import type { ShownError } from "../parts/Failure";
import type { Values } from "../storage";
import { type Entry, isSubmitting } from "./entry";
import { entries, records, whenLoaded } from "./store";

export function unsettledTask(
  { name }: Capability,
  values: Values,
): Entry | undefined {
  return entries.value.find(
    (entry) => isUnsettled(entry, name) && isSame(values, entry.values),
  );
}

function isUnsettled(entry: Entry, name: string): boolean {
  return (
    entry.capability === name &&
    (isSubmitting(entry) || entry.step === "unknown")
  );
}

/** Returns the newest task with these values that can continue with its key, even if removed. */
export function openTask(
  { name }: Capability,
  values: Values,
): Entry | undefined {
  return records.value.find(
    (entry) =>
      isUnsettled(entry, name) &&
      (isSubmitting(entry) || entry.resumable) &&
      isSame(values, entry.values),
  );
}

/** The longest wait for the storage, in milliseconds: storage that hangs must not stop a task. */
const STORED_MS = 2_000;

export async function openTasksKnown(): Promise<void> {
  await Promise.race([
    whenLoaded,
    new Promise((resolve) => setTimeout(resolve, STORED_MS)),
  ]);
}

export function unknownError(entry: Entry): ShownError {
  if (entry.elsewhere)
    return { code: "outcome_unknown", message: "", unknown: "elsewhere" };
  const failure = entry.failure ?? {
    code: "network",
    message: "The page was left before the response arrived.",
  };
  const unknown = entry.resumable
    ? (failure.unknown ?? "response_lost")
    : "expired";
  return { ...failure, unknown };
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
