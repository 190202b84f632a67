import type { Instance } from "./instance.js";
import { soon } from "./waiting.js";
import type * as wasm from "./wasm/mediagate.js";

/** Begins a request. The wasm may abort it, and a crash of the wasm aborts it. */
export function operation<Result>(
  instance: Instance,
  work: (signal: AbortSignal, abort: () => void) => Promise<Result>,
): wasm.Operation<Result> {
  const controller = new AbortController();
  const { signal } = controller;
  let fail: (reason: unknown) => void = () => {};
  const end = () => {
    controller.abort();
    fail(signal.reason);
  };
  // The functions and the listeners of the caller may call the client, so the wasm must have
  // returned by then.
  const abort = () => soon(end);
  let succeed: (result: Result) => void = () => {};
  const working = new Promise<Result>((resolve, reject) => {
    succeed = resolve;
    // The caller's functions may ignore the signal.
    fail = reject;
  });
  // Before the work is scheduled, so that a crash in the same turn ends it before it begins.
  const done = instance.guard(working, end);
  soon(() => {
    if (!signal.aborted) work(signal, abort).then(succeed, fail);
  });
  return { done, abort };
}
