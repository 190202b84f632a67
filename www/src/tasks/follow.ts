/** Follows what changes at the gateway until it is over: a failure that may pass does not end it. */
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

/** The longest time for a response when the page reconnects. */
const TIMEOUT_MS = 15_000;

interface Options {
  signal: AbortSignal;
  maxRetries?: number;
  timeout?: number;
  onRetry?(event: { error: unknown }): void;
}

/** A task or a pipeline of the client. */
interface Followed<Snapshot> {
  refresh(options: Options): Promise<Snapshot>;
  updates(options: Options): AsyncIterable<Snapshot>;
}

export interface Subscriber<Snapshot> {
  /** `isFirst` before the first failure. Without a result, nothing is followed. */
  open(isFirst: boolean): Promise<Followed<Snapshot> | undefined>;
  show(snapshot: Snapshot): void;
  /** Called where following can never succeed. */
  stopped(failure: unknown): void;
}

/** Until it is over or aborted. */
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

/** Until the next failure; returns how many there were in a row, or `undefined` at the end. */
async function attempt<Snapshot>(
  key: string,
  { open, show, stopped }: Subscriber<Snapshot>,
  end: AbortSignal,
  failures: number,
): Promise<number | undefined> {
  const [wake, interruption] = [beginAttempt(key), new AbortController()];
  const signal = AbortSignal.any([end, wake, interruption.signal]);
  const seen = { isConnected: failures === 0 };
  const connected = () => {
    seen.isConnected = true;
    setReconnecting(key, undefined);
  };
  try {
    const followed = await open(failures === 0);
    if (!followed) return undefined;
    // The first snapshot of `updates` is the last known one, which does not show that the gateway can be reached.
    if (failures > 0)
      show(
        await followed.refresh({ signal, maxRetries: 0, timeout: TIMEOUT_MS }),
      );
    connected();
    // The client would report failed polls, but not the first one that succeeds if it brings no change.
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
    if (isMediagateError(failure) && failure.code === "crashed") leaveClient();
    setReconnecting(key, silentOf(failure));
    if (wake.aborted) return 1;
    const count = seen.isConnected ? 0 : failures;
    await waitAfter(count, retryAfter(failure), AbortSignal.any([end, wake]));
    return end.aborted ? undefined : count + 1;
  }
}

const FINAL_REASONS = new Set(["unknown_task", "unknown_pipeline"]);
const FINAL_CODES = new Set<string>(["forbidden", "invalid_argument"]);

/** Whether it can never succeed: there is no such task, or this session may not read it. */
function isFinal(failure: unknown): boolean {
  return (
    isMediagateError(failure) &&
    (FINAL_REASONS.has(failure.reason ?? "") || FINAL_CODES.has(failure.code))
  );
}

function retryAfter(failure: unknown): number {
  return (isMediagateError(failure) && failure.retryAfter) || 0;
}
