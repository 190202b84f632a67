/** The input that each task was created from, as a signal for the list and the results. */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type TaskInput, taskInputStorage } from "../storage";

const signals = new Map<string, Signal<TaskInput | undefined>>();

/** A task's input; `undefined` until it is read, and if it is not stored. */
export function inputSignal(key: string): ReadonlySignal<TaskInput | undefined> {
  const found = signals.get(key) ?? signal<TaskInput | undefined>(undefined);
  if (!signals.has(key)) void taskInputStorage.read(key).then((it) => (found.value ??= it));
  signals.set(key, found);
  return found;
}

export async function readInput(key: string): Promise<TaskInput | undefined> {
  return inputSignal(key).value ?? (await taskInputStorage.read(key));
}

export async function saveInput(key: string, input: TaskInput): Promise<void> {
  signals.set(key, signal<TaskInput | undefined>(input));
  await taskInputStorage.write(key, input);
}

export function deleteInput(key: string): void {
  signals.delete(key);
  void taskInputStorage.delete(key);
}
