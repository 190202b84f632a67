import {
  type ErrorMembers,
  isMediagateError,
  MediagateError,
  NOT_SENT,
} from "./error.js";
import type * as glue from "./glue.js";
import { checkLimits } from "./options.js";
import type { CallOptions } from "./types/calls.js";
import { soon } from "./waiting.js";
import type * as wasm from "./wasm/mediagate.js";
import { onPanic } from "./wasm/panic.js";

export type Wasm = typeof glue;

/**
 * An instance of the wasm, with its calls and operations in flight. If the wasm traps, its promises
 * stay pending forever. The instance then rejects the calls and ends the operations.
 */
export class Instance {
  private readonly ends = new Set<() => void>();
  private crashCause: unknown;

  private readonly unsubscribe: () => void;

  constructor(readonly wasm: Wasm) {
    this.unsubscribe = onPanic((message) =>
      this.crash(new WebAssembly.RuntimeError(message)),
    );
  }

  /** True if the wasm has trapped. None of its functions may be called then. */
  get hasCrashed(): boolean {
    return this.crashCause !== undefined;
  }

  /**
   * Calls a function of the wasm that returns a promise.
   *
   * @throws {MediagateError} The errors of the wasm; `crashed`; `invalid_argument` for options that
   * are not valid; `aborted` if the signal is aborted already.
   */
  async call<Result>(
    given: CallOptions | null | undefined,
    begin: (limits: wasm.CallLimits) => Promise<Result>,
    idempotencyKey?: string,
  ): Promise<Result> {
    const notSent = idempotencyKey ? NOT_SENT : undefined;
    // The signal may be aborted by now.
    const limits = checkLimits(given, {}, notSent);
    if (this.hasCrashed) throw this.crashed(notSent);
    const lost = idempotencyKey
      ? ({ outcome: "unknown", idempotencyKey } as const)
      : undefined;
    const { wasmLimits, release } = forWasm(limits);
    let unregister = () => {};
    try {
      return await new Promise<Result>((resolve, reject) => {
        unregister = this.register(() => reject(this.crashed(lost)));
        begin(wasmLimits).then(resolve, reject);
      });
    } catch (error) {
      throw this.errorOf(error, lost);
    } finally {
      unregister();
      release();
    }
  }

  /**
   * Calls a function of the wasm that returns its result at once.
   *
   * @throws {MediagateError} The errors of the wasm, and `crashed`.
   */
  run<Result>(work: (wasm: Wasm) => Result): Result {
    if (this.hasCrashed) throw this.crashed();
    try {
      return work(this.wasm);
    } catch (error) {
      throw this.errorOf(error);
    }
  }

  /**
   * Registers a function that ends an operation if the wasm crashes. Returns a function to call
   * when the operation has ended.
   */
  register(end: () => void): () => void {
    this.ends.add(end);
    // The wasm may begin an operation after its crash, in a microtask that was queued before.
    if (this.hasCrashed) soon(end);
    return () => this.ends.delete(end);
  }

  /**
   * Returns a promise for the wasm. It stays pending after a crash, so that nothing calls an
   * instance that has trapped.
   */
  guard<Result>(
    promise: Promise<Result>,
    end: () => void = () => {},
  ): Promise<Result> {
    const unregister = this.register(end);
    const settle = (pass: () => void) => {
      unregister();
      if (!this.hasCrashed) pass();
    };
    return new Promise((resolve, reject) => {
      promise.then(
        (result) => settle(() => resolve(result)),
        (error) => settle(() => reject(error)),
      );
    });
  }

  /** Returns the error of a call. The wasm throws only a `MediagateError`, unless it traps. */
  private errorOf(
    error: unknown,
    lost?: Partial<ErrorMembers>,
  ): MediagateError {
    if (isMediagateError(error)) return asMediagateError(error);
    this.crash(error);
    return this.crashed(lost);
  }

  private crash(cause: unknown): void {
    if (this.hasCrashed) return;
    this.crashCause = cause ?? "unknown";
    this.unsubscribe();
    for (const end of [...this.ends]) end();
    this.ends.clear();
  }

  private crashed(members?: Partial<ErrorMembers>): MediagateError {
    return new MediagateError({
      code: "crashed",
      message: "the client failed, and its calls in flight are lost",
      hint: "this is a defect of the package; call connect again",
      cause: this.crashCause,
      ...members,
    });
  }
}

/**
 * Calls a function of the caller in a microtask, because it may call the client, and the wasm must
 * have returned by then. Errors that it throws are ignored: they must not fail the call.
 */
export function notify<Value>(
  listener: (value: Value) => unknown,
  value: Value,
): void {
  Promise.resolve(value)
    .then(listener)
    .catch(() => {});
}

/** Returns the limits of a call as the wasm takes them, and a function to call at its end. */
function forWasm({ signal, onRetry, timeout, maxRetries }: CallOptions): {
  wasmLimits: wasm.CallLimits;
  release: () => void;
} {
  // The wasm does not get the caller's own signal, which may be aborted after the wasm has crashed.
  const controller = signal && new AbortController();
  const abort = () => controller?.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  return {
    wasmLimits: {
      timeout,
      maxRetries,
      signal: controller?.signal,
      onRetry:
        onRetry &&
        (({ since, error, ...retry }) =>
          notify(onRetry, {
            ...retry,
            since: new Date(since).toISOString(),
            error: asMediagateError(error),
          })),
    },
    release: () => signal?.removeEventListener("abort", abort),
  };
}

function asMediagateError(error: Error): MediagateError {
  if (error instanceof MediagateError) return error;
  const { name: _, message, cause, ...members } = error as MediagateError;
  return new MediagateError({ ...members, message, cause });
}
