// The key of a generation's create, and its store, by which a reload finds it again.

import type { Media } from "../media.js";
import { storingOf } from "../storing.js";
import type { StoringMedia, TaskStore } from "../types/store.js";
import { within } from "../waiting.js";

/** A store, the promise of one, or `null` for none. The promise may resolve to none, too. */
export type StoreOption =
  | TaskStore
  | Promise<TaskStore | undefined>
  | null
  | undefined;

/** The age until which an interrupted create is repeated without a gesture, in milliseconds. */
const MAX_AGE_MS = 60 * 60 * 1000;

/** The longest wait for a store, in milliseconds: one that hangs must not stop a create. */
const OPEN_MS = 2_000;

let opening: Promise<TaskStore> | undefined;

/**
 * Returns the store of an option, by default the one of a storing client, or else of `openStore()`.
 * `undefined` for none.
 */
export function storeFor(
  media: Media | StoringMedia,
  option: StoreOption = storingOf(media)?.store,
): Promise<TaskStore | undefined> {
  if (option === null) return Promise.resolve(undefined);
  if (option) return Promise.resolve(option);
  opening ??= openDefault();
  return opening;
}

function openDefault(): Promise<TaskStore> {
  const opened = import("../store.js").then(({ openStore }) => openStore());
  // After a failure, the next call tries again.
  opened.catch(() => {
    opening = undefined;
  });
  return opened;
}

/** Waits for a store for a while. Returns `undefined` if it does not open in time, or fails. */
export function openedSoon(
  opening: Promise<TaskStore | undefined>,
): Promise<TaskStore | undefined> {
  return within({ timeout: OPEN_MS }, opening).catch(() => undefined);
}

const nameOf = (place: string) => `mediagate.generation.${place}`;

/** The key of the last create of a place in this tab. */
export interface LastKey {
  readonly key: string;
  /** The time of the create, in milliseconds since 1970. */
  readonly at: number;
}

export function lastKey(place: string): LastKey | undefined {
  try {
    return (
      JSON.parse(sessionStorage.getItem(nameOf(place)) ?? "null") ?? undefined
    );
  } catch {
    // A server has no storage, and a frame may not use it.
    return undefined;
  }
}

export function rememberKey(place: string, key: string): void {
  try {
    const last: LastKey = { key, at: Date.now() };
    sessionStorage.setItem(nameOf(place), JSON.stringify(last));
  } catch {
    // After a reload, the task is only in the store.
  }
}

/** Forgets a key, unless another one has followed. */
export function forgetKey(place: string, key: string | undefined): void {
  if (key === undefined || lastKey(place)?.key !== key) return;
  sessionStorage.removeItem(nameOf(place));
}

export function mayRepeat({ at }: LastKey): boolean {
  return Date.now() - at < MAX_AGE_MS;
}
