/** Started pipelines as they were built, since the gateway does not return the inputs of steps. */
import { type Draft, read, readAll, remove, write } from "../storage";

interface Started {
  built: Draft;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The most started pipelines to store, since their inputs contain files. */
const MAX_STARTED = 20;
const PREFIX = "pipelines.started.";

/** The pipelines that this page started, for a browser that stores nothing. */
const own = new Map<string, Draft>();

export async function keepStarted(id: string, built: Draft): Promise<void> {
  own.set(id, built);
  await write({ [PREFIX + id]: { built, at: Date.now() } satisfies Started });
  const all = Object.entries(await readAll<Started>(PREFIX));
  all.sort(([, one], [, other]) => other.at - one.at);
  await remove(all.slice(MAX_STARTED).map(([key]) => key));
}

/** Returns a pipeline as it was built; `undefined` if it is not stored, as on another device. */
export async function readStarted(id: string): Promise<Draft | undefined> {
  return own.get(id) ?? (await read<Started>(PREFIX + id))?.built;
}

export async function forgetStarted(id: string): Promise<void> {
  own.delete(id);
  await remove([PREFIX + id]);
}
