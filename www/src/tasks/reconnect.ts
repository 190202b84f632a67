/** The tasks that cannot be read at present, and the attempts to read them again. */
import { signal } from "@preact/signals";
import { isMediagateError } from "mediagate";

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** The server that does not answer: the gateway, or the media service behind it. */
export type Silent = "gateway" | "service";

/** The tasks that are being reconnected, by their keys, each with the silent server. */
export const reconnecting = signal<ReadonlyMap<string, Silent>>(new Map());

/** The attempts and the waits between them, by the task's key. An abort starts the next attempt. */
const attempts = new Map<string, AbortController>();

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

/** Begins an attempt. `reconnectNow` aborts the signal. */
export function beginAttempt(key: string): AbortSignal {
  const attempt = new AbortController();
  attempts.set(key, attempt);
  return attempt.signal;
}

export function endAttempts(key: string): void {
  attempts.delete(key);
  setReconnecting(key, undefined);
}

export function reconnectNow(key: string): void {
  attempts.get(key)?.abort();
}

export function waitAfter(
  failures: number,
  retryAfterSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const growing = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  // With jitter, so that the pages of a gateway that was away do not return all at once.
  const wait = Math.max(
    growing * (0.75 + Math.random() / 4),
    retryAfterSeconds * 1000,
  );
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, wait);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

const reconnectAll = () => [...reconnecting.value.keys()].forEach(reconnectNow);
addEventListener("online", reconnectAll);
document.addEventListener(
  "visibilitychange",
  () => document.hidden || reconnectAll(),
);
// An open stream does not fail when the device goes offline.
addEventListener("offline", () => {
  for (const key of attempts.keys()) setReconnecting(key, "gateway");
});
