/** What each task was made from, as the list and the results show it. */
import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { made as kept, type Made } from "../kept";

const known = new Map<string, Signal<Made | undefined>>();

/** `undefined` until it is read, and where it is not known. */
export function madeFor(key: string): ReadonlySignal<Made | undefined> {
  const found = known.get(key) ?? signal<Made | undefined>(undefined);
  if (!known.has(key)) void kept.read(key).then((it) => (found.value ??= it));
  known.set(key, found);
  return found;
}

export async function madeOf(key: string): Promise<Made | undefined> {
  return madeFor(key).value ?? (await kept.read(key));
}

export async function keepMade(key: string, made: Made): Promise<void> {
  known.set(key, signal<Made | undefined>(made));
  await kept.write(key, made);
}

export function forgetMade(key: string): void {
  known.delete(key);
  void kept.forget(key);
}
