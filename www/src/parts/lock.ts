/** Locks among the pages of a browser. A page that is gone holds none. */

const PREFIX = "mediagate.playground.";

/** Runs `work` while no other page holds the lock with this name. */
export async function withLock<T>(
  name: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return withMessages(name, work, signal);
  return locks.request(PREFIX + name, signal ? { signal } : {}, work);
}

/** The longest wait for another page's response, in milliseconds. */
const RESPONSE_MS = 1000;
const RETRY_MS = 1_000;

const held = new Set<string>();
const channel = new BroadcastChannel(`${PREFIX}locks`);
channel.addEventListener("message", ({ data }) => {
  if (held.has(data.wanted)) channel.postMessage({ held: data.wanted });
});

/**
 * Stands in for locks, which a browser lacks on a page without TLS, such as on a phone during
 * development. Two pages that ask within a quarter of a second both get the lock.
 */
async function withMessages<T>(
  name: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  while (await isHeldElsewhere(name))
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  signal?.throwIfAborted();
  held.add(name);
  try {
    return await work();
  } finally {
    held.delete(name);
  }
}

function isHeldElsewhere(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isHeld: boolean) => {
      channel.removeEventListener("message", receive);
      resolve(isHeld);
    };
    const receive = ({ data }: MessageEvent) => data.held === name && end(true);
    channel.addEventListener("message", receive);
    channel.postMessage({ wanted: name });
    setTimeout(end, RESPONSE_MS, false);
  });
}
