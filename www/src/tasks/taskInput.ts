/** The input that each task was created from, as a signal for the list and the results. */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  filesOf,
  type TaskInput,
  taskInputStorage,
  type Values,
} from "../storage";

const signals = new Map<string, Signal<TaskInput | undefined>>();

/** A task's input; `undefined` until it is read, and if it is not stored. */
export function inputSignal(
  key: string,
): ReadonlySignal<TaskInput | undefined> {
  const found = signals.get(key) ?? signal<TaskInput | undefined>(undefined);
  if (!signals.has(key)) void read(key, found);
  signals.set(key, found);
  return found;
}

/** Reads an input that another tab may have stored since. */
export function reloadInput(key: string): void {
  const found = signals.get(key);
  if (found && !found.value?.body) void read(key, found);
}

/** Resolves once an input is read, if it is stored. */
export async function inputKnown(key: string): Promise<void> {
  if (inputSignal(key).value) return;
  const found = signals.get(key);
  if (found) await read(key, found);
}

async function read(
  key: string,
  found: Signal<TaskInput | undefined>,
): Promise<void> {
  const stored = await taskInputStorage.read(key);
  const { value: own } = found;
  if (!own) found.value = stored;
  else if (!own.body && stored?.body)
    found.value = { ...own, body: stored.body };
}

/** The input as the last tab stored it; the files are this page's own, where it has them. */
export async function readInput(key: string): Promise<TaskInput | undefined> {
  const [own, stored] = [
    signals.get(key)?.value,
    await taskInputStorage.read(key),
  ];
  return own ? { ...own, body: own.body ?? stored?.body } : stored;
}

/** Stores an input: without its files where the browser stores none, since the request may do without them. */
export async function saveInput(key: string, input: TaskInput): Promise<void> {
  const found = signals.get(key) ?? signal<TaskInput | undefined>(undefined);
  signals.set(key, found);
  found.value = input;
  if (await taskInputStorage.write(key, input)) return;
  const hasFiles = filesOf(input.values).length > 0;
  await taskInputStorage.write(key, {
    ...input,
    values: withoutFiles(input.values),
    withoutFiles: hasFiles,
  });
}

export function deleteInputs(keys: readonly string[]): void {
  for (const it of keys) signals.delete(it);
  if (keys.length > 0) void taskInputStorage.delete(keys);
}

function withoutFiles(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, it]) => ![it].flat().some((one) => one instanceof File),
    ),
  );
}
