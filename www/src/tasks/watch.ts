/** Watches tasks, each until it is over or watching is stopped. */
import type { Task, TaskSnapshot } from "mediagate";
import { toShownError } from "../parts/Failure";
import { notesOf } from "./emulated";
import { failureOf, isOver } from "./entry";
import { findEntry, remove, update } from "./store";
import { receiveEta } from "./timeLeft";

const watches = new Map<string, AbortController>();

/** Watches a task that was just created. */
export function follow(key: string, task: Task): void {
  update(key, { saved: task.toJSON(), outputs: task.outputs });
  void watch(key, () => task);
}

export function stop(key: string): void {
  update(key, { paused: true });
  watches.get(key)?.abort();
}

export function discard(key: string): void {
  watches.get(key)?.abort();
  remove(key);
}

/** Shows a task's updates until it is over. */
export function watch(key: string, find: () => Task | Promise<Task>): Promise<void> {
  return attempt(key, async (signal) => {
    const task = await find();
    for await (const snapshot of task.updates({ signal })) show(key, snapshot);
  });
}

/** Runs `work`; a failure pauses the task and is shown with it. */
export async function attempt(key: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  watches.set(key, controller);
  try {
    await work(controller.signal);
  } catch (failure) {
    if (!controller.signal.aborted) update(key, { failure: toShownError(failure), paused: true });
  } finally {
    // The work may have started another watch of the same task, which stays.
    if (watches.get(key) === controller) watches.delete(key);
  }
}

function show(key: string, { state = "", progress, eta, outputs, raw }: TaskSnapshot): void {
  const failure = failureOf(state, raw);
  const now = Date.now();
  const time = isOver(state) ? { eta: undefined, endedAt: now } : { eta: receiveEta(eta, findEntry(key)?.eta, now) };
  update(key, { state, progress, outputs, emulated: notesOf(raw), failure, ...time });
}
