/** The work of this page for each task: at most one at a time, which can be aborted. */

const works = new Map<string, AbortController>();

/** The reason of an abort by a person. Any other reason leaves the task as it is. */
export const CANCELLED = new DOMException("cancelled", "AbortError");

export function isWorking(key: string): boolean {
  return works.has(key);
}

export async function work<T>(
  key: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  works.set(key, controller);
  try {
    return await run(controller.signal);
  } finally {
    // Other work for this task may have started meanwhile.
    if (works.get(key) === controller) works.delete(key);
  }
}

export function abort(key: string, reason?: Error): void {
  works.get(key)?.abort(reason);
  works.delete(key);
}
