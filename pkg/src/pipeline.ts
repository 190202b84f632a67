import { invalidArgument } from "./error.js";
import { type Followed, inspect, setHidden } from "./followed.js";
import {
  type CapabilityName,
  type Step,
  type StepInput,
  type StepKind,
  StepMethods,
  type StepReference,
} from "./generated/capabilities.js";
import { wasmInput } from "./input.js";
import type { Inspect } from "./task.js";
import type { CallOptions } from "./types/calls.js";
import type {
  PipelineSnapshot,
  PipelineState,
  SavedPipeline,
  StepOptions,
  StepSnapshot,
} from "./types/pipeline.js";
import type { Output } from "./types/task.js";

/**
 * A pipeline, with its last snapshot. Its updates come from a stream that all subscribers in the
 * page share. If there is no stream, the pipeline is polled.
 *
 * Iterating it yields the current snapshot, then each change of the state, and the newest snapshot
 * of each state. The last snapshot has the last state, also if that is `FAILED`. Leaving the loop
 * closes the stream and stops the polls. The pipeline itself goes on.
 *
 * @example
 * ```js
 * for await (const { steps } of film) show(steps.map((step) => `${step.name}: ${step.state}`).join());
 * ```
 */
export class Pipeline
  implements PipelineSnapshot, AsyncIterable<PipelineSnapshot>
{
  /** The id, valid only for the user who started the pipeline. */
  readonly id: string;
  /** @internal */
  declare readonly followed: () => Followed<PipelineSnapshot>;

  /** @internal */
  constructor(followed: Followed<PipelineSnapshot>) {
    this.id = followed.snapshot.id;
    setHidden(this, "followed", () => followed);
  }

  /** The last snapshot. The object stays the same until the snapshot changes. */
  get snapshot(): PipelineSnapshot {
    return this.followed().snapshot;
  }

  /** The title; `undefined` without one. */
  get title(): string | undefined {
    return this.snapshot.title;
  }

  /** The state; `undefined` for a pipeline by its id before it was first read. */
  get state(): PipelineState | undefined {
    return this.snapshot.state;
  }

  /** The date and time of the start (RFC 3339); `undefined` while `state` is. */
  get createdAt(): string | undefined {
    return this.snapshot.createdAt;
  }

  /** The date and time of the end; `undefined` while the pipeline runs. */
  get endedAt(): string | undefined {
    return this.snapshot.endedAt;
  }

  /** True if the pipeline has ended, and `resume` would begin a step again. */
  get resumable(): boolean {
    return this.snapshot.resumable;
  }

  /** The steps, each after those that it uses; empty before the pipeline was first read. */
  get steps(): readonly StepSnapshot[] {
    return this.snapshot.steps;
  }

  /** The outputs of the steps that no other step uses, as far as these have succeeded. */
  get outputs(): readonly Output[] {
    return this.snapshot.outputs;
  }

  /**
   * Waits until all steps have succeeded.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`. None of them
   * ends the pipeline itself.
   * @returns The last snapshot, with the outputs.
   * @throws {MediagateError} `pipeline_failed`, with the name of the first step that failed as
   * `step`, or `pipeline_cancelled`, each with the last snapshot as `pipeline`; `invalid_input`
   * with the `reason` `unknown_pipeline` if there is no such pipeline; any code of a read, such as
   * `network`, `aborted` and `timeout`.
   * @example
   * ```js
   * const { outputs } = await film.done();
   * show(outputs[0]?.url);
   * ```
   */
  done(options?: CallOptions): Promise<PipelineSnapshot> {
    return this.followed().done(options);
  }

  /**
   * Reads the pipeline once.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The snapshot, also if the pipeline failed.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_pipeline` if there is no
   * such pipeline; any code of a read.
   */
  refresh(options?: CallOptions): Promise<PipelineSnapshot> {
    return this.followed().request("refresh", options);
  }

  /**
   * Iterates the snapshots, as iterating the pipeline itself does.
   *
   * @param options - `signal`, `timeout` in milliseconds for each step of the iteration,
   * `maxRetries` and `onRetry`.
   * @returns A generator of snapshots, which ends after the last state. Its `return()` ends a wait
   * at once.
   * @throws {MediagateError} Those of `refresh`.
   */
  updates(
    options?: CallOptions,
  ): AsyncGenerator<PipelineSnapshot, void, undefined> {
    return this.followed().updates(options);
  }

  /** Iterates the snapshots. */
  [Symbol.asyncIterator](): AsyncGenerator<PipelineSnapshot, void, undefined> {
    return this.updates();
  }

  /**
   * Begins the steps again that failed, were skipped or were cancelled, with the rights of the
   * present session token. Steps that succeeded stay. A step whose create has an unknown outcome is
   * not sent again.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The snapshot. `done()` and an iteration wait for the end again.
   * @throws {MediagateError} `invalid_input` with the `reason` `not_resumable` if the pipeline
   * runs, or nothing of it can begin again; `forbidden`; `budget_exceeded`; any code of a read.
   */
  resume(options?: CallOptions): Promise<PipelineSnapshot> {
    return this.followed().request("resume", options);
  }

  /**
   * Stops the steps that are not sent yet. Tasks that run go on, and their results stay.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The snapshot, which may still be `RUNNING` while tasks are.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_pipeline`; any code of a
   * read.
   */
  cancel(options?: CallOptions): Promise<PipelineSnapshot> {
    return this.followed().request("cancel", options);
  }

  /**
   * Returns the pipeline as plain data, for `JSON.stringify`.
   *
   * @returns The data that `media.pipelines.restore` takes.
   */
  toJSON(): SavedPipeline {
    return { id: this.id };
  }

  /** @internal */
  [inspect](_depth: number, options: unknown, show: Inspect): string {
    return `Pipeline ${show({ ...this.snapshot }, options)}`;
  }
}

/** A step as the wasm takes it. */
interface WasmStep {
  name: string;
  capability: CapabilityName;
  input: unknown;
}

/** A built step, for the input of another step. */
class BuiltStep<Kind extends StepKind> implements Step<Kind> {
  constructor(readonly step: string) {}

  output(position: number): StepReference<Kind> & { output: number } {
    return { step: this.step, output: position };
  }
}

/** Collects the steps of a pipeline. */
class Builder extends StepMethods<StepOptions> {
  readonly steps: WasmStep[] = [];

  /** @param key - The key of the pipeline. */
  constructor(private readonly key: string) {
    super();
  }

  protected add<Name extends CapabilityName, Kind extends StepKind>(
    capability: Name,
    input: StepInput<Name>,
    options?: StepOptions | null,
  ): Step<Kind> {
    const name = options?.name ?? this.freeName(capability);
    // An object cannot have a member `__proto__`, and a pipeline is sent as an object.
    if (name === "__proto__")
      throw invalidArgument("a step cannot have the name __proto__");
    if (typeof name !== "string" || this.hasStep(name))
      throw invalidArgument(
        "the name of a step is not a string, or that of another step; give each its own",
      );
    this.steps.push({
      name,
      capability,
      input: wasmInput(input, this.key) ?? null,
    });
    return new BuiltStep(name);
  }

  private hasStep(name: string): boolean {
    return this.steps.some((step) => step.name === name);
  }

  /** Returns the name of the capability, or that with the first number that is free. */
  private freeName(capability: string): string {
    let name = capability;
    for (let count = 2; this.hasStep(name); count++)
      name = `${capability}_${count}`;
    return name;
  }
}

/**
 * Returns the steps that a function of the caller builds.
 *
 * @param build - The function.
 * @param key - The key of the pipeline.
 * @throws {MediagateError} `invalid_argument`; any error of the function.
 */
export async function stepsOf(
  build: (builder: StepMethods<StepOptions>) => unknown,
  key: string,
): Promise<WasmStep[]> {
  if (typeof build !== "function")
    throw invalidArgument(
      "pipelines.start takes a function that builds the steps",
    );
  const builder = new Builder(key);
  await build(builder);
  // A step that is added later is not part of the pipeline.
  return [...builder.steps];
}
