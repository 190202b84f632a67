/** The reads of tasks that the gateway has not answered for a while, though they may still succeed. */
import { signal } from "@preact/signals";

/** The wait for a response after which a person is told. The client itself waits longer. */
const PATIENCE_MS = 15_000;

/** The ids of the tasks that are being read for that long. */
export const slowReads = signal<ReadonlySet<string>>(new Set());

/** Sends a request. If it reads a task and takes long, the task is in `slowReads` until its end. */
export async function noticeSlow(
  url: string,
  send: () => Promise<Response>,
): Promise<Response> {
  const id = /\/tasks\/([^/?]+)/.exec(url)?.[1];
  if (id === undefined) return send();
  const timer = setTimeout(() => {
    slowReads.value = new Set([...slowReads.value, id]);
  }, PATIENCE_MS);
  try {
    return await send();
  } finally {
    clearTimeout(timer);
    if (slowReads.value.has(id))
      slowReads.value = new Set(
        [...slowReads.value].filter((other) => other !== id),
      );
  }
}
