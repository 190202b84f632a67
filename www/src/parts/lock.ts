/** Locks among the pages of a browser, which releases them when a page is gone, in whatever way. */

const PREFIX = "mediagate.playground.";

/**
 * Does the work while no other page holds the lock of this name. A page without TLS, such as on a phone during development,
 * has no locks: there the work is done at once.
 */
export async function withLock<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return work();
  return locks.request(PREFIX + name, signal ? { signal } : {}, work);
}
