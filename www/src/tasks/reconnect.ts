/** Follows tasks and pipelines until their end, and lists those that cannot be read at present. */
import { effect, signal, untracked } from "@preact/signals";
import { isMediagateError, type Media, type MediagateError } from "mediagate";
import type { ViewObserver } from "mediagate/observers";
import { leaveClient } from "../client";

/** The server that does not answer: the gateway, or the media service behind it. */
export type Silent = "gateway" | "service";

/** The silent servers of the tasks and pipelines that are being reconnected, by their keys. */
export const reconnecting = signal<ReadonlyMap<string, Silent>>(new Map());

interface Following {
  readonly media: Media;
  retry(): void;
  leave(): void;
}

/** The followed tasks and pipelines, by their keys. */
const followed = new Map<string, Following>();

export function reconnectNow(key: string): void {
  followed.get(key)?.retry();
}

export function setReconnecting(key: string, silent: Silent | undefined): void {
  if (reconnecting.value.get(key) === silent) return;
  const others = new Map(reconnecting.value);
  if (silent) others.set(key, silent);
  else others.delete(key);
  reconnecting.value = others;
}

export function silentOf(key: string, failure: unknown): Silent {
  const isFromClient = isMediagateError(failure);
  // The gateway may wait for the media service longer than the page waits for the gateway.
  const known = reconnecting.peek().get(key);
  if (isFromClient && failure.code === "timeout" && known) return known;
  // Only a gateway that was reached gives a request an id.
  return isFromClient && failure.requestId ? "service" : "gateway";
}

export interface Follower<Snapshot> {
  media: Media;
  observe(): ViewObserver<Snapshot>;
  show(snapshot: Snapshot): void;
  isOver(state: string | undefined): boolean;
  /** Called after a failure that no repetition can mend. */
  stopped(failure: MediagateError): void;
}

/** Follows the wanted tasks or pipelines, and stops if they are no longer wanted. */
export function followAll<Snapshot extends { state?: string | undefined }>(
  wanted: () => ReadonlyMap<string, Follower<Snapshot>>,
): void {
  const keys = new Set<string>();
  effect(() => {
    const all = wanted();
    untracked(() => {
      for (const key of keys) {
        if (all.has(key)) continue;
        keys.delete(key);
        unfollow(key);
      }
      for (const [key, follower] of all) {
        keys.add(key);
        follow(key, follower);
      }
    });
  });
}

/** Follows a task or a pipeline, unless this page does so already. */
function follow<Snapshot extends { state?: string | undefined }>(
  key: string,
  { media, observe, show, isOver, stopped }: Follower<Snapshot>,
): void {
  if (followed.get(key)?.media === media) return;
  unfollow(key);
  const observer = observe();
  let last: Snapshot | undefined;
  const changed = () => {
    if (followed.get(key) !== own) return;
    const { snapshot, reconnecting, error } = observer.getSnapshot();
    setReconnecting(key, reconnecting && silentOf(key, reconnecting));
    if (snapshot && snapshot !== last) show(snapshot);
    last = snapshot;
    if (!error && !isOver(snapshot?.state)) return;
    unfollow(key);
    // A client that has crashed fails every call. The next client goes on.
    if (error?.code === "crashed") void leaveClient(media);
    else if (error) stopped(error);
  };
  const own: Following = { media, retry: observer.retry, leave: () => {} };
  followed.set(key, own);
  own.leave = observer.subscribe(changed);
  changed();
}

function unfollow(key: string): void {
  followed.get(key)?.leave();
  followed.delete(key);
  setReconnecting(key, undefined);
}
