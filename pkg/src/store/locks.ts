import { aborted, isMediagateError, type Outcome } from "../error.js";
import { remaining } from "../options.js";
import type { CallOptions } from "../types/calls.js";
import { within } from "../waiting.js";

/**
 * Does work while no other tab does work of this name, if the platform has locks.
 *
 * @param limits - The limits of the wait for another tab.
 * @param outcome - The outcome of the create if the wait ends. Then `work` is not called.
 * @param mayBeHeld - False if no other tab can know the name yet.
 * @throws {MediagateError} `aborted` and `timeout` of the wait; the errors of the work.
 */
export async function withLock<Result>(
  name: string,
  limits: CallOptions,
  outcome: Outcome,
  work: () => Promise<Result>,
  mayBeHeld = true,
): Promise<Result> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return withMessages(name, limits, outcome, work, mayBeHeld);
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
    await waitFor(wait, limits, outcome);
  } catch (error) {
    controller.abort();
    throw error;
  }
  try {
    return await done;
  } catch (error) {
    if (hasStarted) throw error;
    // The page may not use locks, as in some frames. The work must run anyway.
    return work();
  }
}

/** Waits for another tab. An error has the outcome of the create. */
async function waitFor<Result>(
  wait: Promise<Result>,
  limits: CallOptions,
  outcome: Outcome,
): Promise<Result> {
  try {
    // Otherwise only a later abort would end the wait.
    if (limits.signal?.aborted) throw aborted(limits.signal);
    return await within(limits, wait);
  } catch (error) {
    throw isMediagateError(error) ? Object.assign(error, { outcome }) : error;
  }
}

/** The longest wait for another page's response, in milliseconds. */
const RESPONSE_MS = 1_000;
/** The wait before another page is asked again, in milliseconds. */
const RETRY_MS = 1_000;

const held = new Set<string>();

let opened: BroadcastChannel | undefined;

/** The channel by which pages without locks ask each other who works. */
function channel(): BroadcastChannel {
  if (opened) return opened;
  opened = new BroadcastChannel("mediagate.locks");
  opened.addEventListener("message", ({ data }) => {
    if (held.has(data.wanted)) opened?.postMessage({ held: data.wanted });
  });
  (opened as { unref?: () => void }).unref?.();
  return opened;
}

/**
 * Stands in for locks, which a browser lacks on a page without TLS, such as on a phone during
 * development. Two pages that ask within a second both get the lock.
 */
async function withMessages<Result>(
  name: string,
  limits: CallOptions,
  outcome: Outcome,
  work: () => Promise<Result>,
  mayBeHeld: boolean,
): Promise<Result> {
  const start = Date.now();
  const within = <Result>(wait: Promise<Result>) =>
    waitFor(wait, remaining(limits, start), outcome);
  while (mayBeHeld && (await within(isHeldElsewhere(name))))
    await within(pause());
  // Opened now, so that this page answers others.
  channel();
  held.add(name);
  try {
    return await work();
  } finally {
    held.delete(name);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}

function isHeldElsewhere(name: string): Promise<boolean> {
  const messages = channel();
  return new Promise((resolve) => {
    const end = (isHeld: boolean) => {
      clearTimeout(timer);
      messages.removeEventListener("message", receive);
      resolve(isHeld);
    };
    const receive = ({ data }: MessageEvent) => {
      if (data.held === name) end(true);
    };
    const timer = setTimeout(end, RESPONSE_MS, false);
    messages.addEventListener("message", receive);
    messages.postMessage({ wanted: name });
  });
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

/** Resolves once no tab holds a lock, also if its tab was closed. */
export async function whenReleased(name: string): Promise<void> {
  await globalThis.navigator?.locks?.request(name, () => {});
}
