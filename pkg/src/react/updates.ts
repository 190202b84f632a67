import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { invalidArgument, type MediagateError } from "../error.js";
import type { Following } from "../followed.js";
import type { Pipeline } from "../pipeline.js";
import type { Task } from "../task.js";
import type { PipelineSnapshot } from "../types/pipeline.js";
import type { TaskSnapshot } from "../types/task.js";

/** The last snapshot of a task or a pipeline, and the error that ended its updates. */
export interface View<Snapshot> {
  readonly snapshot: Snapshot | undefined;
  /**
   * The reason why there are no more updates, such as `network` or `unauthenticated`; `undefined`
   * while there are. A task or a pipeline that ended in `FAILED` is a snapshot, not an error.
   */
  readonly error: MediagateError | undefined;
  /** Subscribes again, such as after an error. The function is the same in each render. */
  readonly retry: () => void;
}

export type TaskView = View<TaskSnapshot>;

export type PipelineView = View<PipelineSnapshot>;

/**
 * Subscribes to a task while the component is mounted. The component may restore the task in each
 * render: the hook stays subscribed while the id and the client stay the same.
 *
 * @returns `{snapshot, error, retry}`: its last snapshot, the reason why there are no more updates,
 * and a function that subscribes again. The component renders again after each change of the first
 * two.
 */
export function useTask(task: Task | undefined): TaskView {
  return useUpdates(task);
}

/**
 * Subscribes to a pipeline while the component is mounted, as {@link useTask} does to a task.
 *
 * @returns `{snapshot, error, retry}`, as of a task.
 */
export function usePipeline(pipeline: Pipeline | undefined): PipelineView {
  return useUpdates(pipeline);
}

function useUpdates<Snapshot extends { readonly id: string }>(
  source: Following<Snapshot> | undefined,
): View<Snapshot> {
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((last) => last + 1), []);
  if (source && typeof source.followed !== "function")
    throw invalidArgument(
      "the hook has no task or pipeline",
      "give a task, a pipeline, or undefined while there is none; " +
        "await the promise of a create before you pass its task",
    );
  const id = source?.id;
  const connection = source?.followed().scope.connection;
  // Does not depend on the source, which a component may restore in each render.
  const subscription = useMemo(
    () => ({ id, connection, attempt }),
    [id, connection, attempt],
  );
  const [view, setView] = useState<{
    subscription?: object | undefined;
    snapshot?: Snapshot | undefined;
    error?: MediagateError | undefined;
  }>({});
  const latest = useRef(source);
  useEffect(() => {
    latest.current = source;
  });
  useEffect(() => {
    const { current } = latest;
    // A result that came without a task has no id, and no updates.
    if (!current || !subscription.id) return;
    const controller = new AbortController();
    const { signal } = controller;
    const unsubscribe = current
      .followed()
      .subscribe(() => show(current.snapshot));
    const show = (snapshot: Snapshot, error?: MediagateError) => {
      if (!signal.aborted) setView({ subscription, snapshot, error });
    };
    const follow = async () => {
      try {
        for await (const snapshot of current.updates({ signal }))
          show(snapshot);
      } catch (error) {
        show(current.snapshot, error as MediagateError);
      }
    };
    void follow();
    return () => {
      unsubscribe();
      controller.abort();
    };
  }, [subscription]);
  // The state of a hook outlives a change of the task.
  const own = view.subscription === subscription ? view : undefined;
  return {
    snapshot: own?.snapshot ?? source?.snapshot,
    error: own?.error,
    retry,
  };
}
