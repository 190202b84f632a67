/**
 * Does work while no other tab does work of this name, if the platform has locks.
 *
 * @param name - The name of the lock.
 * @param signal - Ends the wait for the lock. The work is then called without the lock, so it
 * checks the signal first.
 * @param work - The work.
 */
export async function withLock<Result>(
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return work();
  let hasStarted = false;
  try {
    return await locks.request(name, { signal }, () => {
      hasStarted = true;
      return work();
    });
  } catch (error) {
    if (hasStarted) throw error;
    // The signal is aborted, or the page may not use locks, as in some frames. The work must run
    // anyway.
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
