import type { MediagateError, TaskSnapshot } from "mediagate";
import { observeTask, receivedEta } from "mediagate/observers";
import { toShownError } from "../parts/Failure";
import { isOver } from "./entry";
import { keepRecord } from "./received";
import { follow } from "./reconnect";
import { creditsOf, failureOf, modelOf, notesOf, warningsOf } from "./record";
import { findEntry, update } from "./store";

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

function show(key: string, snapshot: TaskSnapshot): void {
  const { state, progress, unansweredSince, outputs, raw } = snapshot;
  // The task is not read yet.
  if (raw === undefined) return;
  keepRecord(key, raw);
  const failure = failureOf(state, raw);
  const time = isOver(state)
    ? { eta: undefined, endedAt: Date.now() }
    : { eta: receivedEta(snapshot) ?? findEntry(key)?.eta };
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

function stop(key: string, failure: MediagateError): void {
  void update(key, { failure: toShownError(failure), paused: true });
}
