import type { Instance } from "./instance.js";

/** A request in flight. It is aborted with the signal of the wasm, and if the wasm crashes. */
export class Operation {
  private readonly controller = new AbortController();
  private readonly release: () => void;

  constructor(instance: Instance, signal: AbortSignal) {
    // The caller's listeners may call the client, so the wasm must have returned by then.
    const abortLater = () => queueMicrotask(() => this.abort());
    signal.addEventListener("abort", abortLater);
    const unregister = instance.register(() => this.abort());
    this.release = () => {
      signal.removeEventListener("abort", abortLater);
      unregister();
    };
  }

  /** The signal for the functions of the caller. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * Returns the result of work, or rejects when the operation is aborted: a function of the caller
   * may ignore the signal.
   */
  async result<Result>(work: Promise<Result>): Promise<Result> {
    const aborted = new Promise<never>((_, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason));
    });
    return Promise.race([work, aborted]);
  }

  /** Aborts the operation. */
  abort(): void {
    this.release();
    this.controller.abort();
  }

  /** Records that the operation has ended. Later events do not abort it. */
  end(): void {
    this.release();
  }
}
