/** Started pipelines as they were built, since the gateway does not return the inputs of steps. */
import { type Draft, startedStorage } from "../storage";

/** The pipelines that this page started, for a browser that stores nothing. */
const own = new Map<string, Draft>();

export async function keepStarted(id: string, built: Draft): Promise<void> {
  own.set(id, built);
  await startedStorage.write(id, built);
}

/** Returns a pipeline as it was built; `undefined` if another device built it, or long ago. */
export async function readStarted(id: string): Promise<Draft | undefined> {
  return own.get(id) ?? (await startedStorage.read(id));
}

export async function forgetStarted(id: string): Promise<void> {
  own.delete(id);
  await startedStorage.delete(id);
}
