import { isMediagateError, type Task, type TaskSnapshot } from "mediagate";
import { client } from "../client";
import { toShownError } from "../parts/Failure";
import { isOver } from "./entry";
import { follow } from "./follow";
import { keepRecord } from "./received";
import { creditsOf, failureOf, modelOf, notesOf, warningsOf } from "./record";
import { findEntry, update } from "./store";
import { receiveEta } from "./timeLeft";

/** Watches a task until its end or an abort. `created` is the task, right after its create. */
export function watch(key: string, created?: Task): Promise<void> {
  return follow<TaskSnapshot>(key, {
    async open(isFirst) {
      if (isFirst && created) return created;
      const saved = findEntry(key)?.saved;
      return saved && (await client()).tasks.restore(saved);
    },
    show: (snapshot) => show(key, snapshot),
    stopped: (failure) => stop(key, failure),
  });
}

function show(
  key: string,
  { state, progress, eta, unansweredSince, outputs, raw }: TaskSnapshot,
): void {
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

function stop(key: string, failure: unknown): void {
  const isUnknown =
    isMediagateError(failure) && failure.reason === UNKNOWN_TASK;
  const own = isUnknown ? { code: UNKNOWN_TASK, message: failure.message } : {};
  void update(key, {
    failure: { ...toShownError(failure), ...own },
    paused: true,
  });
}
