import { aborted, timedOut } from "./error.js";
import type { CallOptions } from "./types/calls.js";

/**
 * Waits for work that several calls may share. The limits end only the wait.
 *
 * @throws {MediagateError} `aborted`; `timeout`; the error of the work.
 */
export async function within<Result>(
  { signal, timeout }: Pick<CallOptions, "signal" | "timeout">,
  work: Promise<Result>,
): Promise<Result> {
  if (!signal && timeout === undefined) return work;
  let release = () => {};
  const ended = new Promise<never>((_, reject) => {
    const abort = () => signal && reject(aborted(signal));
    const expire = () => reject(timedOut());
    const timer =
      timeout === undefined ? undefined : setTimeout(expire, timeout);
    signal?.addEventListener("abort", abort);
    release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    release();
  }
}

/** Calls a function soon. The fake timers of test runners hold `queueMicrotask` back. */
export function soon(call: () => void): void {
  void Promise.resolve().then(call);
}
