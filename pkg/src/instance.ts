import {
  type ErrorMembers,
  isMediagateError,
  MediagateError,
} from "./error.js";
import { checkLimits, type Limits } from "./options.js";
import { soon } from "./waiting.js";
import type * as wasm from "./wasm/mediagate.js";
import { onPanic } from "./wasm/panic.js";

/** The functions of the wasm: the result of `import("./wasm/mediagate.js")`. */
export type Wasm = typeof wasm;

/**
 * An instance of the wasm, with its calls and operations in flight. If the wasm traps, its promises
 * stay pending forever. The instance then rejects the calls and ends the operations.
 */
export class Instance {
  /** The functions that reject the calls in flight. */
  private readonly calls = new Set<() => void>();
  /** The functions that end the requests, streams and timers in flight. */
  private readonly operations = new Set<() => void>();
  private crashCause: unknown;

  /** Ends the subscription to panics. */
  private readonly unsubscribe: () => void;

  /** @param wasm - The functions of the wasm, which is loaded. */
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
   * @param limits - The limits of the call.
   * @param begin - Calls the function, with the limits as the wasm takes them.
   * @param idempotencyKey - The key of a create.
   * @throws {MediagateError} The errors of the wasm; `crashed`; `invalid_argument` for limits that
   * are not valid; `aborted` if the signal is aborted already.
   */
  async call<Result>(
    limits: Limits,
    begin: (limits: wasm.CallLimits) => Promise<Result>,
    idempotencyKey?: string,
  ): Promise<Result> {
    const notSent: Partial<ErrorMembers> = idempotencyKey
      ? { outcome: "not_sent" }
      : {};
    if (this.hasCrashed) throw this.crashed(notSent);
    const checked = checkLimits(limits, {}, notSent);
    const lost: Partial<ErrorMembers> = idempotencyKey
      ? { outcome: "unknown", idempotencyKey }
      : {};
    let onCrash = () => {};
    const crashed = new Promise<never>((_, reject) => {
      onCrash = () => reject(this.crashed(lost));
    });
    this.calls.add(onCrash);
    const { wasmLimits, release } = forWasm(checked);
    try {
      return await Promise.race([begin(wasmLimits), crashed]);
    } catch (error) {
      throw this.errorOf(error, lost);
    } finally {
      this.calls.delete(onCrash);
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
   * Registers an operation of the platform.
   *
   * @param end - Ends the operation. It is called if the wasm crashes.
   * @returns A function to call when the operation has ended.
   */
  register(end: () => void): () => void {
    this.operations.add(end);
    // The wasm may begin an operation after its crash, in a microtask that was queued before.
    if (this.hasCrashed) soon(end);
    return () => this.operations.delete(end);
  }

  /**
   * Returns a promise for the wasm. It stays pending after a crash, so that nothing calls an
   * instance that has trapped.
   */
  guard<Result>(promise: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      promise.then(
        (result) => this.hasCrashed || resolve(result),
        (error) => this.hasCrashed || reject(error),
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
    for (const reject of [...this.calls]) reject();
    for (const end of [...this.operations]) end();
    this.operations.clear();
  }

  private crashed(members: Partial<ErrorMembers> = {}): MediagateError {
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
function forWasm({ signal, onRetry, timeout, maxRetries }: Limits): {
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
        (({ error, ...retry }) =>
          notify(onRetry, { ...retry, error: asMediagateError(error) })),
    },
    release: () => signal?.removeEventListener("abort", abort),
  };
}

/** Returns the `MediagateError` with the members of an error of the wasm. */
function asMediagateError(error: Error): MediagateError {
  if (error instanceof MediagateError) return error;
  const { name: _, message, cause, ...members } = error as MediagateError;
  return new MediagateError({ ...members, message, cause });
}
