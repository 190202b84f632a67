/** Watching tasks: each until it ends, or until the person has seen enough. */
import type { Task, TaskSnapshot } from "mediagate";
import { shown } from "../parts/Failure";
import { failureOf, isOver } from "./entry";
import { change, remove } from "./store";

const watches = new Map<string, AbortController>();

/** Watches a task that was just made. */
export function follow(key: string, task: Task): void {
  change(key, { saved: task.toJSON(), outputs: task.outputs });
  void watch(key, () => task);
}

export function stop(key: string): void {
  change(key, { paused: true });
  watches.get(key)?.abort();
}

export function discard(key: string): void {
  watches.get(key)?.abort();
  remove(key);
}

/** Shows what becomes of a task. */
export function watch(key: string, find: () => Task | Promise<Task>): Promise<void> {
  return attempt(key, async (signal) => {
    const task = await find();
    for await (const update of task.updates({ signal })) show(key, update);
  });
}

/** Does it; a failure pauses the task and is shown with it. */
export async function attempt(key: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  watches.set(key, controller);
  try {
    await work(controller.signal);
  } catch (failure) {
    if (!controller.signal.aborted) change(key, { failure: shown(failure), paused: true });
  } finally {
    // What the work went on to, such as watching the task that it made, is no longer this one's.
    if (watches.get(key) === controller) watches.delete(key);
  }
}

function show(key: string, { state = "", progress, outputs, raw }: TaskSnapshot): void {
  const failure = failureOf(state, raw);
  change(key, { state, progress, outputs, failure, ...(isOver(state) && { endedAt: Date.now() }) });
}
