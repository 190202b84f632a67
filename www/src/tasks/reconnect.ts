/** Follows tasks and pipelines until their end, and lists those that cannot be read at present. */
import { signal } from "@preact/signals";
import { isMediagateError, type Media, type MediagateError } from "mediagate";
import type { ViewObserver } from "mediagate/observers";
import { client, leaveClient } from "../client";
import { backOrAfter } from "../parts/online";
import { work } from "./work";

/** The wait before the page connects again, in milliseconds. */
const CONNECT_MS = 5_000;

/** The server that does not answer: the gateway, or the media service behind it. */
export type Silent = "gateway" | "service";

/** The tasks that are being reconnected, by their keys, each with the silent server. */
export const reconnecting = signal<ReadonlyMap<string, Silent>>(new Map());

/** The functions that reconnect at once, by the task's key. */
const retries = new Map<string, () => void>();

export function reconnectNow(key: string): void {
  retries.get(key)?.();
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
  const known = reconnecting.value.get(key);
  if (isFromClient && failure.code === "timeout" && known) return known;
  // Only a gateway that was reached gives a request an id.
  return isFromClient && failure.requestId ? "service" : "gateway";
}

interface Subscriber<Snapshot> {
  /** Returns `undefined` if there is nothing to follow. */
  observe(
    media: Media,
    signal: AbortSignal,
  ): Promise<ViewObserver<Snapshot> | undefined>;
  show(snapshot: Snapshot): void;
  isOver(state: string | undefined): boolean;
  /** Called after a failure that no repetition can mend. */
  stopped(failure: MediagateError): void;
}

export function follow<Snapshot extends { state?: string | undefined }>(
  key: string,
  subscriber: Subscriber<Snapshot>,
): Promise<void> {
  return work(key, async (signal) => {
    const reset = () => {
      retries.delete(key);
      setReconnecting(key, undefined);
    };
    signal.addEventListener("abort", reset);
    while (!signal.aborted) {
      const media = await client().catch(() => undefined);
      if (media) {
        const following = attempt(key, subscriber, media, signal);
        const failure = await following.catch((error: MediagateError) => error);
        if (failure?.code !== "crashed") {
          reset();
          return failure && subscriber.stopped(failure);
        }
        // A client that has crashed fails every call.
        leaveClient();
      }
      if (signal.aborted) return;
      setReconnecting(key, "gateway");
      const pressed = new Promise<void>((end) => retries.set(key, end));
      await Promise.race([pressed, backOrAfter(CONNECT_MS)]);
    }
  });
}

/** Follows with a client until the end, an abort or a failure, and returns the failure. */
async function attempt<Snapshot extends { state?: string | undefined }>(
  key: string,
  { observe, show, isOver }: Subscriber<Snapshot>,
  media: Media,
  signal: AbortSignal,
): Promise<MediagateError | undefined> {
  const observer = await observe(media, signal);
  if (!observer || signal.aborted) return undefined;
  return new Promise((resolve) => {
    let shown: Snapshot | undefined;
    const change = () => {
      const { snapshot, reconnecting, error } = observer.getSnapshot();
      setReconnecting(key, reconnecting && silentOf(key, reconnecting));
      if (snapshot && snapshot !== shown) show(snapshot);
      shown = snapshot;
      if (error || isOver(snapshot?.state)) end(error);
    };
    const end = (failure?: MediagateError) => {
      leave();
      retries.delete(key);
      resolve(failure);
    };
    retries.set(key, observer.retry);
    const leave = observer.subscribe(change);
    signal.addEventListener("abort", () => end());
    change();
  });
}
