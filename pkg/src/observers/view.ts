import { invalidArgument } from "../error.js";
import type { Following } from "../followed.js";
import type { Pipeline } from "../pipeline.js";
import type { Task } from "../task.js";
import type { PipelineSnapshot } from "../types/pipeline.js";
import type { TaskSnapshot } from "../types/task.js";
import { follow, type View } from "./follow.js";
import { type Observer, Subject } from "./observer.js";

export type TaskView = View<TaskSnapshot>;

export type PipelineView = View<PipelineSnapshot>;

export interface ViewActions {
  /** Reads again at once, such as after an error or while it is `reconnecting`. */
  retry(): void;
}

export type ViewObserver<Snapshot> = Observer<View<Snapshot>> & ViewActions;

export type TaskObserver = ViewObserver<TaskSnapshot>;

export type PipelineObserver = ViewObserver<PipelineSnapshot>;

/** Follows a task. After a failure that may pass, it is read again until its updates arrive. */
export function observeTask(task: Task | undefined): TaskObserver {
  return observe(task);
}

/** Follows a pipeline, as {@link observeTask} does a task. */
export function observePipeline(
  pipeline: Pipeline | undefined,
): PipelineObserver {
  return observe(pipeline);
}

function observe<Snapshot extends { readonly id: string }>(
  source: Following<Snapshot> | undefined,
): ViewObserver<Snapshot> {
  if (source && typeof source.followed !== "function")
    throw invalidArgument(
      "this is no task or pipeline",
      "give a task, a pipeline, or undefined while there is none; " +
        "await the promise of a create before you pass its task; " +
        "a generation follows its own task",
    );
  const subject = new Subject<View<Snapshot>>(
    { snapshot: source?.snapshot, reconnecting: undefined, error: undefined },
    (signal) => {
      // A result that came without a task has no id, and no updates.
      if (!source?.id) return;
      const hasFailed = subject.getSnapshot().reconnecting !== undefined;
      void watch(source, signal, (view) => subject.change(view), hasFailed);
    },
  );
  const retry = () => {
    const { error } = subject.getSnapshot();
    if (error) subject.change({ reconnecting: error, error: undefined });
    subject.restart();
  };
  const { subscribe, getSnapshot } = subject;
  return { subscribe, getSnapshot, retry };
}

/** Follows a task or a pipeline, and shows a last change when the gateway has kept its files. */
export async function watch<Snapshot extends { readonly id: string }>(
  source: Following<Snapshot>,
  signal: AbortSignal,
  show: (view: View<Snapshot>) => void,
  hasFailed = false,
): Promise<void> {
  const showUnlessEnded = (view: View<Snapshot>) => {
    if (!signal.aborted) show(view);
  };
  const end = source.followed().subscribe(() => {
    const { snapshot } = source;
    showUnlessEnded({ snapshot, reconnecting: undefined, error: undefined });
  });
  signal.addEventListener("abort", end);
  await follow(source, signal, showUnlessEnded, hasFailed);
}

/** Returns true for two objects of the same task or pipeline, such as of two restores. */
export function isSameTask(
  one: Task | Pipeline | undefined,
  other: Task | Pipeline | undefined,
): boolean {
  if (one === other) return true;
  // A result without a task has no id.
  if (!one?.id || one.id !== other?.id) return false;
  return clientOf(one) === clientOf(other);
}

function clientOf(source: Task | Pipeline): unknown {
  return source.followed?.().scope.connection;
}
