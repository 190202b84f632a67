import { isMediagateError, type Outcome } from "../error.js";
import type { CallOptions } from "../types/calls.js";
import { within } from "../waiting.js";

/**
 * Does work while no other tab does work of this name, if the platform has locks.
 *
 * @param limits - The limits of the wait for another tab.
 * @param outcome - The outcome of the create if the wait ends. Then `work` is not called.
 * @throws {MediagateError} `aborted` and `timeout` of the wait; the errors of the work.
 */
export async function withLock<Result>(
  name: string,
  limits: CallOptions,
  outcome: Outcome,
  work: () => Promise<Result>,
): Promise<Result> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return work();
  const controller = new AbortController();
  const { signal } = controller;
  let hasStarted = false;
  let endWait = () => {};
  const wait = new Promise<void>((resolve) => {
    endWait = resolve;
  });
  const done = locks.request(name, { signal }, () => {
    hasStarted = true;
    endWait();
    return work();
  });
  done.catch(endWait);
  try {
    await within(limits, wait);
  } catch (error) {
    controller.abort();
    throw isMediagateError(error) ? Object.assign(error, { outcome }) : error;
  }
  try {
    return await done;
  } catch (error) {
    if (hasStarted) throw error;
    // The page may not use locks, as in some frames. The work must run anyway.
    return work();
  }
}

/** Returns the names of the locks that a tab holds and that begin with a prefix, without it. */
export async function heldLocks(prefix: string): Promise<Set<string>> {
  const locks = globalThis.navigator?.locks;
  const snapshot = await locks?.query().catch(() => undefined);
  const names = (snapshot?.held ?? []).map((lock) => lock.name ?? "");
  return new Set(
    names
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length)),
  );
}
