import type { Instance } from "./instance.js";
import { soon } from "./waiting.js";
import type * as wasm from "./wasm/mediagate.js";

/** A request in flight. The wasm may abort it, and a crash of the wasm does. */
export class Operation<Result> implements wasm.Operation<Result> {
  readonly done: Promise<Result>;
  private readonly controller = new AbortController();
  private reject: (reason: unknown) => void = () => {};

  /**
   * @param instance - The instance of the wasm that begins the operation.
   * @param work - Does the work, until the signal of the operation is aborted.
   */
  constructor(
    instance: Instance,
    work: (operation: Operation<Result>) => Promise<Result>,
  ) {
    const unregister = instance.register(() => this.end());
    const working = new Promise<Result>((resolve, reject) => {
      // The caller's functions may ignore the signal.
      this.reject = reject;
      // They may call the client, so the wasm must have returned by then.
      soon(() => {
        if (!this.signal.aborted) work(this).then(resolve, reject);
      });
    });
    this.done = instance.guard(working.finally(unregister));
  }

  /** The signal for the functions of the caller. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(): void {
    // The caller's listeners may call the client, so the wasm must have returned by then.
    soon(() => this.end());
  }

  private end(): void {
    this.controller.abort();
    this.reject(this.signal.reason);
  }
}
