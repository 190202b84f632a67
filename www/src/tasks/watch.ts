import type { MediagateError, TaskSnapshot } from "mediagate";
import { observeTask } from "mediagate/observers";
import { toShownError } from "../parts/Failure";
import { isOver } from "./entry";
import { keepRecord } from "./received";
import { follow } from "./reconnect";
import { creditsOf, failureOf, modelOf, notesOf, warningsOf } from "./record";
import { findEntry, update } from "./store";
import { receiveEta } from "./timeLeft";

/** Watches a task until its end or an abort. */
export function watch(key: string): Promise<void> {
  return follow<TaskSnapshot>(key, {
    async observe({ tasks }) {
      const saved = findEntry(key)?.saved;
      return saved && observeTask(tasks.restore(saved));
    },
    show: (snapshot) => show(key, snapshot),
    isOver,
    stopped: (failure) => stop(key, failure),
  });
}

function show(
  key: string,
  { state, progress, eta, unansweredSince, outputs, raw }: TaskSnapshot,
): void {
  // The task is not read yet.
  if (raw === undefined) return;
  keepRecord(key, raw);
  const failure = failureOf(state, raw);
  const now = Date.now();
  const time = isOver(state)
    ? { eta: undefined, endedAt: now }
    : { eta: receiveEta(eta, findEntry(key)?.eta, now) };
  void update(key, {
    state,
    progress,
    unansweredSince: unansweredSince ? Date.parse(unansweredSince) : undefined,
    outputs,
    emulated: notesOf(raw),
    model: modelOf(raw),
    credits: creditsOf(raw),
    warnings: warningsOf(raw),
    failure,
    ...time,
  });
}

const UNKNOWN_TASK = "unknown_task";

function stop(key: string, failure: MediagateError): void {
  const { reason, message } = failure;
  const own = reason === UNKNOWN_TASK ? { code: UNKNOWN_TASK, message } : {};
  void update(key, {
    failure: { ...toShownError(failure), ...own },
    paused: true,
  });
}
