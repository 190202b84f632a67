import { isMediagateError, MediagateError } from "../error.js";
import type { Following } from "../followed.js";
import { MAX_TIMEOUT } from "../options.js";
import type { Retry } from "../types/calls.js";
import { receive } from "./countdown.js";

/** The longest wait for a response when a task is read again after a failure, in milliseconds. */
const READ_MS = 15_000;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** The last snapshot of a task or a pipeline, and how its updates stand. */
export interface View<Snapshot> {
  readonly snapshot: Snapshot | undefined;
  /**
   * The failure after which the updates are awaited again, such as `network`; `undefined` while
   * they arrive.
   */
  readonly reconnecting: MediagateError | undefined;
  /**
   * The reason why there are no more updates, such as `unauthenticated`; `undefined` while there
   * are. A task or a pipeline that ended in `FAILED` is a snapshot, not an error.
   */
  readonly error: MediagateError | undefined;
}

/**
 * Follows a task or a pipeline until its end, also over failures that may pass.
 *
 * @param hasFailed - True if an earlier attempt has failed, so that the known snapshot proves no
 * connection.
 */
export async function follow<Snapshot extends { readonly id: string }>(
  source: Following<Snapshot>,
  signal: AbortSignal,
  show: (view: View<Snapshot>) => void,
  hasFailed = false,
): Promise<void> {
  const updated = (snapshot: Snapshot) => {
    receive(snapshot);
    show({ snapshot, reconnecting: undefined, error: undefined });
  };
  let failures = hasFailed ? 1 : 0;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const end = () => attempt.abort();
    signal.addEventListener("abort", end);
    let failure: MediagateError | undefined;
    // `updates` reports a failed read, but no later success that changes nothing.
    const onRetry = ({ error }: Pick<Retry, "error">) => {
      failure = error;
      end();
    };
    // An open stream does not fail when the device goes offline.
    const onOffline = () => onRetry({ error: offline() });
    globalThis.addEventListener?.("offline", onOffline);
    const options = { signal: attempt.signal };
    try {
      if (failures > 0) {
        const read = { ...options, maxRetries: 0, timeout: READ_MS };
        updated(await source.refresh(read));
        failures = 0;
      }
      for await (const snapshot of source.updates({ ...options, onRetry }))
        updated(snapshot);
      return;
    } catch (error) {
      failure ??= error as MediagateError;
    } finally {
      signal.removeEventListener("abort", end);
      globalThis.removeEventListener?.("offline", onOffline);
    }
    if (signal.aborted) return;
    const { snapshot } = source;
    if (!mayPass(failure))
      return show({ snapshot, reconnecting: undefined, error: failure });
    show({ snapshot, reconnecting: failure, error: undefined });
    await pause(failures, failure.retryAfter, signal);
    failures += 1;
  }
}

function offline(): MediagateError {
  return new MediagateError({
    code: "network",
    message: "the device is offline",
    retryable: true,
  });
}

function mayPass(failure: unknown): boolean {
  // A read has timed out, or a proxy has responded instead of the gateway.
  return (
    isMediagateError(failure) &&
    (failure.retryable || /^(timeout|unreadable)$/.test(failure.code))
  );
}

/** Waits until another attempt makes sense, or until the signal is aborted. */
function pause(
  failures: number,
  retryAfter = 0,
  signal: AbortSignal,
): Promise<void> {
  const growing = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  // With jitter, so that the pages of a gateway that was away do not return all at once.
  const jittered = growing * (0.75 + Math.random() / 4);
  return new Promise((resolve) => {
    const page = globalThis.document;
    const end = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", end);
      page?.removeEventListener("visibilitychange", show);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const show = () => page.hidden || end();
    const timer = setTimeout(
      end,
      Math.min(MAX_TIMEOUT, Math.max(jittered, retryAfter * 1000)),
    );
    globalThis.addEventListener?.("online", end);
    page?.addEventListener("visibilitychange", show);
    signal.addEventListener("abort", end);
  });
}
