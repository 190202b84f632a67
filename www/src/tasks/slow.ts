/** The tasks whose reads have no response for a while. The reads may still succeed. */
import { signal } from "@preact/signals";

/** The wait after which the page shows that there is no response. The client waits longer. */
const PATIENCE_MS = 15_000;

/** The ids of the tasks that are being read for that long. */
export const slowReads = signal<ReadonlySet<string>>(new Set());

/** Sends a request. While the read of a task takes too long, the task is in `slowReads`. */
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
