import type { Instance } from "./instance.js";
import type { Limits } from "./options.js";
import type * as wasm from "./wasm/mediagate.js";

/** The snapshots of a task or a pipeline. Leaving the iteration ends a step that waits, at once. */
export class Updates<Snapshot>
  implements AsyncGenerator<Snapshot, void, undefined>
{
  private subscription: wasm.Subscription | undefined;
  private previous: Promise<unknown> = Promise.resolve();
  private hasEnded = false;
  /** Ends the step that waits. */
  private leave = (): void => {};

  /**
   * @param instance - The instance of the wasm.
   * @param task - The task or the pipeline.
   * @param limits - Returns the limits of a step.
   */
  constructor(
    private readonly instance: Instance,
    private readonly task: wasm.Task,
    private readonly limits: () => Limits,
  ) {}

  next(): Promise<IteratorResult<Snapshot, void>> {
    const step = this.previous.then(() => this.step());
    this.previous = step.catch(() => {});
    return step;
  }

  async return(value?: unknown): Promise<IteratorResult<Snapshot, void>> {
    this.end();
    return { done: true, value: value as undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<Snapshot, void>> {
    this.end();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private async step(): Promise<IteratorResult<Snapshot, void>> {
    if (this.hasEnded) return { done: true, value: undefined };
    let snapshot: Snapshot | undefined;
    try {
      snapshot = await this.instance.call(this.limits(), (wasmLimits) => {
        this.subscription ??= this.task.subscribe(wasmLimits);
        const next = this.subscription.next(wasmLimits);
        // Not a race with one promise for all steps, which would keep each snapshot until the end.
        return new Promise<Snapshot | undefined>((resolve, reject) => {
          this.leave = () => resolve(undefined);
          (next as Promise<Snapshot | undefined>).then(resolve, reject);
        });
      });
    } catch (error) {
      this.end();
      throw error;
    }
    if (snapshot !== undefined) return { done: false, value: snapshot };
    this.end();
    return { done: true, value: undefined };
  }

  private end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.leave();
    const { instance, subscription } = this;
    if (subscription && !instance.hasCrashed)
      instance.run(() => subscription.free());
  }
}
