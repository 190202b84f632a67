import type { Scope } from "./connection.js";
import type { CallOptions } from "./types/calls.js";
import type * as wasm from "./wasm/mediagate.js";

/**
 * Iterates the snapshots of a task or a pipeline. Leaving the iteration ends a waiting step at
 * once.
 */
export function updatesOf<Snapshot>(
  scope: Scope,
  task: wasm.Task | wasm.Pipeline,
  options: CallOptions | undefined,
  onSnapshot: (snapshot: Snapshot) => void,
  onEnd: () => void,
): AsyncGenerator<Snapshot, void, undefined> {
  let hasLeft = false;
  /** Ends the step that waits. */
  let leave = () => {};
  async function* iterate(): AsyncGenerator<Snapshot, void, undefined> {
    let subscription: wasm.Subscription<unknown> | undefined;
    try {
      while (!hasLeft) {
        const limits = scope.check(options);
        const snapshot = await scope.call(limits, (_, limits) => {
          subscription ??= task.subscribe(limits);
          const next = subscription.next(limits);
          // Not a race with one promise for all steps, which would keep each snapshot until the end.
          return new Promise<Snapshot | undefined>((resolve, reject) => {
            leave = () => resolve(undefined);
            (next as Promise<Snapshot | undefined>).then(resolve, reject);
          });
        });
        if (snapshot === undefined) return onEnd();
        onSnapshot(snapshot);
        yield snapshot;
      }
    } finally {
      const { instance } = scope.connection;
      if (!instance.hasCrashed) instance.run(() => subscription?.free());
    }
  }
  const updates = iterate();
  const end = updates.return.bind(updates);
  const fail = updates.throw.bind(updates);
  // Both would wait for the present step, which may take an hour.
  updates.return = (value) => {
    hasLeft = true;
    leave();
    return end(value);
  };
  updates.throw = (error) => {
    hasLeft = true;
    leave();
    return fail(error);
  };
  return updates;
}
