/** Watching tasks: each until it ends, across reloads, or until the person has seen enough. */
import type { Task, TaskSnapshot } from "mediagate";
import { client } from "../client";
import { shown } from "../parts/Failure";
import { failureOf, isOver, type Entry } from "./entry";
import { change, entries, onAdded, put, remove } from "./store";

const watches = new Map<string, AbortController>();

/** Adds a new task to the list and watches it. */
export function follow(task: Task, title: string | undefined): void {
  const { capability, outputs } = task;
  const key = crypto.randomUUID();
  put({ key, saved: task.toJSON(), capability, title, state: "", outputs, startedAt: Date.now() });
  void watch(key, () => task);
}

/** Watches again what was not over when the page was left, here and in other tabs. */
export function resumeAll(): void {
  entries.value.forEach(resume);
  onAdded(resume);
}

/** Watches a kept task again. */
export function resume(entry: Entry): void {
  if (isOver(entry.state) || entry.paused) return;
  void watch(entry.key, async () => (await client()).task(entry.saved));
}

export function stop(key: string): void {
  change(key, { paused: true });
  watches.get(key)?.abort();
}

export function startAgain(entry: Entry): void {
  const again = { ...entry, paused: false, failure: undefined };
  put(again);
  resume(again);
}

export function discard(key: string): void {
  watches.get(key)?.abort();
  remove(key);
}

async function watch(key: string, find: () => Task | Promise<Task>): Promise<void> {
  const controller = new AbortController();
  watches.set(key, controller);
  try {
    const task = await find();
    for await (const update of task.updates({ signal: controller.signal })) show(key, update);
  } catch (failure) {
    if (!controller.signal.aborted) change(key, { failure: shown(failure), paused: true });
  } finally {
    watches.delete(key);
  }
}

function show(key: string, { state = "", progress, outputs, raw }: TaskSnapshot): void {
  const failure = failureOf(state, raw);
  change(key, { state, progress, outputs, failure, ...(isOver(state) && { endedAt: Date.now() }) });
}
