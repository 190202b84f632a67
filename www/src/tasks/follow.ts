/** Follows tasks and pipelines at the gateway until their end, also over failures that may pass. */
import { isMediagateError } from "mediagate";
import { leaveClient } from "../client";
import {
  beginAttempt,
  endAttempts,
  setReconnecting,
  silentOf,
  waitAfter,
} from "./reconnect";
import { work } from "./work";

/** The longest wait for a response when the page reconnects, in milliseconds. */
const TIMEOUT_MS = 15_000;

interface Options {
  signal: AbortSignal;
  maxRetries?: number;
  timeout?: number;
  onRetry?(event: { error: unknown }): void;
}

interface Followed<Snapshot> {
  refresh(options: Options): Promise<Snapshot>;
  updates(options: Options): AsyncIterable<Snapshot>;
}

interface Subscriber<Snapshot> {
  /** Opens the task or pipeline; `undefined` if it is gone. `isFirst` is false after a failure. */
  open(isFirst: boolean): Promise<Followed<Snapshot> | undefined>;
  show(snapshot: Snapshot): void;
  /** Called after a failure that no repetition can mend. */
  stopped(failure: unknown): void;
}

export function follow<Snapshot>(
  key: string,
  subscriber: Subscriber<Snapshot>,
): Promise<void> {
  return work(key, async (signal) => {
    let failures: number | undefined = 0;
    while (failures !== undefined)
      failures = await attempt(key, subscriber, signal, failures);
    endAttempts(key);
  });
}

/** Follows until a failure. Returns the number of failures in a row; `undefined` at the end. */
async function attempt<Snapshot>(
  key: string,
  { open, show, stopped }: Subscriber<Snapshot>,
  end: AbortSignal,
  failures: number,
): Promise<number | undefined> {
  const wake = beginAttempt(key);
  const interruption = new AbortController();
  const signal = AbortSignal.any([end, wake, interruption.signal]);
  let isConnected = failures === 0;
  const connected = () => {
    isConnected = true;
    setReconnecting(key, undefined);
  };
  try {
    const followed = await open(failures === 0);
    if (!followed) return undefined;
    // `updates` begins with the last known snapshot, which does not prove a connection.
    if (failures > 0)
      show(
        await followed.refresh({ signal, maxRetries: 0, timeout: TIMEOUT_MS }),
      );
    connected();
    // `updates` reports a failed poll, but no later success that changes nothing. So the first
    // failed poll ends this attempt.
    const onRetry = ({ error }: { error: unknown }) =>
      interruption.abort(error);
    for await (const snapshot of followed.updates({ signal, onRetry })) {
      show(snapshot);
      connected();
    }
    return undefined;
  } catch (error) {
    if (end.aborted) return undefined;
    const failure = interruption.signal.aborted
      ? interruption.signal.reason
      : error;
    if (isFinal(failure)) {
      stopped(failure);
      return undefined;
    }
    // A client that has crashed fails every call.
    if (isMediagateError(failure) && failure.code === "crashed") leaveClient();
    setReconnecting(key, silentOf(key, failure));
    // `reconnectNow` has ended this attempt, so the next one follows at once.
    if (wake.aborted) return 1;
    const count = isConnected ? 0 : failures;
    await waitAfter(count, retryAfter(failure), AbortSignal.any([end, wake]));
    return end.aborted ? undefined : count + 1;
  }
}

const FINAL_REASONS = new Set(["unknown_task", "unknown_pipeline"]);
const FINAL_CODES = new Set<string>(["forbidden", "invalid_argument"]);

/**
 * Returns true if no repetition can succeed: the task is unknown, or this session may not read it.
 */
function isFinal(failure: unknown): boolean {
  return (
    isMediagateError(failure) &&
    (FINAL_REASONS.has(failure.reason ?? "") || FINAL_CODES.has(failure.code))
  );
}

function retryAfter(failure: unknown): number {
  return (isMediagateError(failure) && failure.retryAfter) || 0;
}
