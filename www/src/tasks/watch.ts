/** Watches tasks, each until it is over: a failure that may pass does not end it. */
import { isMediagateError, type Task, type TaskSnapshot } from "mediagate";
import { client, leaveClient } from "../client";
import { toShownError } from "../parts/Failure";
import { notesOf } from "./emulated";
import { isOver } from "./entry";
import { failureOf } from "./outcome";
import { beginAttempt, endAttempts, setReconnecting, waitAfter } from "./reconnect";
import { findEntry, update } from "./store";
import { receiveEta } from "./timeLeft";
import { work } from "./work";

/** The longest time for a response when the page reconnects. */
const TIMEOUT_MS = 15_000;

/** Watches a created task until it is over or aborted; `created` is the task itself, right after its create. */
export function watch(key: string, created?: Task): Promise<void> {
  return work(key, async (signal) => {
    let failures: number | undefined = 0;
    while (failures !== undefined) {
      failures = await attempt(key, signal, failures, failures === 0 ? created : undefined);
    }
    endAttempts(key);
  });
}

/** Watches until the next failure; returns how many there were in a row, or `undefined` at the end. */
async function attempt(key: string, end: AbortSignal, failures: number, created?: Task): Promise<number | undefined> {
  const [wake, interruption] = [beginAttempt(key), new AbortController()];
  const signal = AbortSignal.any([end, wake, interruption.signal]);
  const seen = { isConnected: failures === 0 };
  const connected = () => {
    seen.isConnected = true;
    setReconnecting(key, false);
  };
  try {
    const task = await findTask(key, created);
    if (!task) return undefined;
    // The first snapshot of `updates` is the last known one, which does not show that the gateway can be reached.
    if (failures > 0) show(key, await task.refresh({ signal, maxRetries: 0, timeout: TIMEOUT_MS }));
    connected();
    // The client would report failed polls, but not the first one that succeeds if it brings no change.
    const onRetry = ({ error }: { error: unknown }) => interruption.abort(error);
    for await (const snapshot of task.updates({ signal, onRetry })) {
      show(key, snapshot);
      connected();
    }
    return undefined;
  } catch (error) {
    if (end.aborted) return undefined;
    const failure = interruption.signal.aborted ? interruption.signal.reason : error;
    if (isFinal(failure)) return stopWatching(key, failure);
    if (isMediagateError(failure) && failure.code === "crashed") leaveClient();
    setReconnecting(key, true);
    if (wake.aborted) return 1;
    const count = seen.isConnected ? 0 : failures;
    await waitAfter(count, retryAfter(failure), AbortSignal.any([end, wake]));
    return end.aborted ? undefined : count + 1;
  }
}

async function findTask(key: string, created: Task | undefined): Promise<Task | undefined> {
  if (created) return created;
  const saved = findEntry(key)?.saved;
  return saved && (await client()).task(saved);
}

function show(key: string, { state = "", progress, eta, outputs, raw }: TaskSnapshot): void {
  const failure = failureOf(state, raw);
  const now = Date.now();
  const time = isOver(state) ? { eta: undefined, endedAt: now } : { eta: receiveEta(eta, findEntry(key)?.eta, now) };
  void update(key, { state, progress, outputs, emulated: notesOf(raw), failure, ...time });
}

const UNKNOWN_TASK = "unknown_task";
const FINAL_CODES = new Set<string>(["forbidden", "invalid_argument"]);

/** Whether watching can never succeed: there is no such task, or this session may not read it. */
function isFinal(failure: unknown): boolean {
  return isMediagateError(failure) && (failure.reason === UNKNOWN_TASK || FINAL_CODES.has(failure.code));
}

function stopWatching(key: string, failure: unknown): undefined {
  const isUnknown = isMediagateError(failure) && failure.reason === UNKNOWN_TASK;
  const of = isUnknown ? { code: UNKNOWN_TASK, message: failure.message } : {};
  void update(key, { failure: { ...toShownError(failure), ...of }, paused: true });
  return undefined;
}

function retryAfter(failure: unknown): number {
  return (isMediagateError(failure) && failure.retryAfter) || 0;
}
