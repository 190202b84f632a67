/** What this page is doing for each task: at most one thing, which can be aborted. */

const works = new Map<string, AbortController>();

/** The reason of an abort where a person cancels a create; with any other one, it is left as it is. */
export const CANCELLED = new DOMException("cancelled", "AbortError");

export function isWorking(key: string): boolean {
  return works.has(key);
}

/** Runs this until it ends or is aborted. */
export async function work<T>(
  key: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  works.set(key, controller);
  try {
    return await run(controller.signal);
  } finally {
    // Another one of the same task may have started, which stays.
    if (works.get(key) === controller) works.delete(key);
  }
}

export function abort(key: string, reason?: Error): void {
  works.get(key)?.abort(reason);
  works.delete(key);
}
