import { invalidArgument } from "./error.js";
import { Following } from "./followed.js";
import {
  type CapabilityName,
  type Step,
  type StepInput,
  type StepKind,
  StepMethods,
  type StepReference,
} from "./generated/capabilities.js";
import { wasmInput } from "./input.js";
import type { CallOptions } from "./types/calls.js";
import type {
  PipelineSnapshot,
  SavedPipeline,
  StepOptions,
} from "./types/pipeline.js";

/** A pipeline. Iterating it yields its snapshots. It has the members of the last one. */
export class Pipeline
  extends Following<PipelineSnapshot>
  implements PipelineSnapshot
{
  get title() {
    return this.snapshot.title;
  }

  get state() {
    return this.snapshot.state;
  }

  get createdAt() {
    return this.snapshot.createdAt;
  }

  get endedAt() {
    return this.snapshot.endedAt;
  }

  get resumable() {
    return this.snapshot.resumable;
  }

  get steps() {
    return this.snapshot.steps;
  }

  get outputs() {
    return this.snapshot.outputs;
  }

  /**
   * Waits until all steps have succeeded.
   *
   * @param options - The limits of the call. They end only the wait, and not the pipeline.
   * @returns The last snapshot, with the outputs.
   * @throws {MediagateError} `pipeline_failed`, with the name of the first step that failed as
   * `step`, or `pipeline_cancelled`, each with the last snapshot as `pipeline`; `invalid_input`
   * with the `reason` `unknown_pipeline` if there is no such pipeline.
   */
  async done(options?: CallOptions): Promise<PipelineSnapshot> {
    return this.followed().request("done", options);
  }

  /**
   * Begins the steps again that failed, were skipped or were cancelled, with the rights of the
   * present session token. Steps that succeeded stay. A step whose create has an unknown outcome is
   * not sent again.
   *
   * @returns The snapshot. `done()` and an iteration wait for the end again.
   * @throws {MediagateError} `invalid_input` with the `reason` `not_resumable` if the pipeline
   * runs, or nothing of it can begin again; `forbidden`; `budget_exceeded`.
   */
  async resume(options?: CallOptions): Promise<PipelineSnapshot> {
    return this.followed().request("resume", options);
  }

  /**
   * Stops the steps that are not sent yet. Tasks that run go on, and their results stay.
   *
   * @returns The snapshot, which may still be `RUNNING` while tasks are.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_pipeline`.
   */
  async cancel(options?: CallOptions): Promise<PipelineSnapshot> {
    return this.followed().request("cancel", options);
  }

  /** Returns the plain data that `media.pipelines.restore` takes, for `JSON.stringify`. */
  toJSON(): SavedPipeline {
    return { id: this.id };
  }
}

interface WasmStep {
  name: string;
  capability: CapabilityName;
  input: unknown;
}

class BuiltStep<Kind extends StepKind> implements Step<Kind> {
  constructor(readonly step: string) {}

  output(position: number): StepReference<Kind> & { output: number } {
    return { step: this.step, output: position };
  }
}

class Builder extends StepMethods<StepOptions> {
  readonly steps: WasmStep[] = [];

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
      throw invalidArgument(
        "a step cannot have the name __proto__",
        "give it another name",
      );
    if (typeof name !== "string" || this.hasStep(name))
      throw invalidArgument(
        "the name of a step is not a string, or that of another step",
        "give each its own",
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

/** @throws {MediagateError} `invalid_argument`, and any error of `build`. */
export async function stepsOf(
  build: (builder: StepMethods<StepOptions>) => unknown,
  key: string,
): Promise<WasmStep[]> {
  if (typeof build !== "function")
    throw invalidArgument(
      "the steps are not a function",
      "give pipelines.start a function that builds the steps",
    );
  const builder = new Builder(key);
  await build(builder);
  // A step that is added later is not part of the pipeline.
  return [...builder.steps];
}
