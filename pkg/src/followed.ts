import type { Connection } from "./connection.js";
import { checkOptions, type Limits } from "./options.js";
import type { CallOptions } from "./types/calls.js";
import { Updates } from "./updates.js";
import type * as wasm from "./wasm/mediagate.js";

/** A task or a pipeline of the wasm. A `Task` or a `Pipeline` is the caller's object for it. */
export class Followed<Snapshot> {
  private last: Snapshot;

  /**
   * @param connection - The client.
   * @param defaults - The limits of `connect`.
   * @param handle - The task or the pipeline.
   */
  constructor(
    readonly connection: Connection,
    private readonly defaults: Limits,
    private readonly handle: wasm.Task,
  ) {
    this.last = this.read();
  }

  /**
   * The last snapshot. The object stays the same until the snapshot changes, and stays readable
   * after a crash.
   */
  get snapshot(): Snapshot {
    if (!this.connection.instance.hasCrashed) this.last = this.read();
    return this.last;
  }

  /** Calls a method of the handle that returns a snapshot. */
  async request(
    method: "refresh" | "resume" | "cancel",
    options: CallOptions | undefined,
  ): Promise<Snapshot> {
    const limits = checkOptions(options, this.defaults);
    return this.call(limits, (handle, wasmLimits) =>
      handle[method](wasmLimits),
    );
  }

  /** Waits for the end. The timeout of `connect` is for requests, and not for this wait. */
  async done(options: CallOptions | undefined): Promise<Snapshot> {
    const limits = this.waitLimits(options);
    return this.call(limits, (handle, wasmLimits) => handle.done(wasmLimits));
  }

  /** Iterates the snapshots. */
  updates(options: CallOptions | undefined): Updates<Snapshot> {
    return new Updates(this.connection.instance, this.handle, () =>
      this.waitLimits(options),
    );
  }

  private waitLimits(options: CallOptions | undefined): Limits {
    return checkOptions(options, { ...this.defaults, timeout: undefined });
  }

  private call(
    limits: Limits,
    begin: (handle: wasm.Task, wasmLimits: wasm.CallLimits) => Promise<unknown>,
  ): Promise<Snapshot> {
    return this.connection.instance.call(
      limits,
      (wasmLimits) => begin(this.handle, wasmLimits) as Promise<Snapshot>,
    );
  }

  private read(): Snapshot {
    return this.connection.instance.run(() => this.handle.snapshot) as Snapshot;
  }
}

/** The method that Node's console calls to show an object. */
export const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * Sets a member that a console does not show. It is not private, because a framework may put a
 * proxy around the object. Proxies reach into members that are objects, but not into functions.
 */
export function setHidden(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    writable: true,
    configurable: true,
  });
}
