import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  filesOf,
  type TaskInput,
  taskInputStorage,
  type Values,
} from "../storage";

const signals = new Map<string, Signal<TaskInput | undefined>>();

/** Returns the input of a task; `undefined` until it is read, and if it is not stored. */
export function inputSignal(
  key: string,
): ReadonlySignal<TaskInput | undefined> {
  const found = signals.get(key) ?? signal<TaskInput | undefined>(undefined);
  if (!signals.has(key)) void read(key, found);
  signals.set(key, found);
  return found;
}

/** Reads an input again, which another tab may have stored. */
export function reloadInput(key: string): void {
  const found = signals.get(key);
  if (found && !found.value?.body) void read(key, found);
}

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

export async function readInput(key: string): Promise<TaskInput | undefined> {
  const own = signals.get(key)?.value;
  const stored = await taskInputStorage.read(key);
  // This page's own files may be uploaded already.
  return own ? { ...own, body: own.body ?? stored?.body } : stored;
}

/** Stores an input, or else the input without its files. */
export async function saveInput(key: string, input: TaskInput): Promise<void> {
  const found = signals.get(key) ?? signal<TaskInput | undefined>(undefined);
  signals.set(key, found);
  found.value = input;
  if (await taskInputStorage.write(key, input)) return;
  // Some browsers store no files. A request whose files are uploaded does not need them.
  const hasFiles = filesOf(input.values).length > 0;
  await taskInputStorage.write(key, {
    ...input,
    values: withoutFiles(input.values),
    withoutFiles: hasFiles,
  });
}

export function deleteInputs(keys: readonly string[]): void {
  for (const key of keys) signals.delete(key);
  if (keys.length > 0) void taskInputStorage.delete(keys);
}

function withoutFiles(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => ![value].flat().some((member) => member instanceof File),
    ),
  );
}
