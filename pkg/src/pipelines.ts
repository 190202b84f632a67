import type { Scope } from "./connection.js";
import { invalidArgument, NOT_SENT } from "./error.js";
import { Followed, setHidden } from "./followed.js";
import type { StepMethods } from "./generated/capabilities.js";
import { historyPage, pages } from "./history.js";
import { checkId, checkKey, isObject, remaining } from "./options.js";
import { Pipeline, stepsOf } from "./pipeline.js";
import type { CallOptions, PipelineOptions } from "./types/calls.js";
import type {
  ListOptions,
  PagePromise,
  PipelineEntry,
  PipelinePage,
} from "./types/history.js";
import type {
  PipelineReference,
  PipelineSnapshot,
  StepOptions,
} from "./types/pipeline.js";
import type * as wasm from "./wasm/mediagate.js";

/** The pipelines of a user: `media.pipelines`. */
export class Pipelines {
  /** @internal */
  declare readonly scope: () => Scope;

  /** @internal */
  constructor(scope: Scope) {
    setHidden(this, "scope", () => scope);
  }

  /**
   * Starts a pipeline: steps that use each other's outputs. The gateway runs it, also while no page
   * is open, and checks the whole pipeline before it creates anything. Steps that use no outputs of
   * each other run side by side. Files, URLs, tasks and outputs in inputs are uploaded and moved
   * first, as in a create.
   *
   * @param build - Builds the steps, by a method for each capability. Its result is ignored, but a
   * promise is awaited.
   * @param options - The options of the call. None of them ends the pipeline itself.
   * @returns The pipeline. Its outputs come later: wait with `film.done()`.
   * @throws {MediagateError} Those of a create, with paths such as `steps.clip.input.file_id` in
   * `issues`; `budget_exceeded` if the creates of all steps exceed a budget; `invalid_input` with
   * the `reason` `unknown_path` if the gateway runs no pipelines. The `outcome` says if the
   * pipeline may have started.
   */
  async start(
    build: (builder: StepMethods<StepOptions>) => unknown,
    options?: PipelineOptions,
  ): Promise<Pipeline> {
    const scope = this.scope();
    const checked = scope.check(options, "start", NOT_SENT);
    const key = checkKey(options);
    const title = options?.title ?? undefined;
    if (title !== undefined && typeof title !== "string")
      throw invalidArgument("title is not a string", "give a string", NOT_SENT);
    const steps = await stepsOf(build, key);
    const handle = await scope.call(
      checked,
      (client, limits) =>
        client.startPipeline(title, steps, key, {
          ...limits,
          ...scope.listeners(options),
        }),
      key,
    );
    return pipelineOf(scope, handle);
  }

  /**
   * Restores a pipeline that was started earlier, on any page or device of the user. It sends no
   * request: `state` is `undefined` until the pipeline is read or awaited.
   *
   * @param saved - The id, the result of `JSON.parse(JSON.stringify(pipeline))`, or the entry in
   * the history.
   * @returns The pipeline. An unknown id is an error of the first request: `invalid_input` with the
   * `reason` `unknown_pipeline`.
   * @throws {MediagateError} `invalid_argument` for any other value, such as a task.
   */
  restore(saved: string | PipelineReference): Pipeline {
    const scope = this.scope();
    const { instance, client } = scope.connection;
    const id = pipelineId(saved, "restore");
    return pipelineOf(
      scope,
      instance.run(() => client.pipeline(id)),
    );
  }

  /**
   * Lists the pipelines of this user on any device, as `media.tasks.list` lists tasks. Tasks count
   * towards `limit` too. If a page has only tasks, the next one is requested too.
   * `media.pipelines.restore(entry)` restores an entry's pipeline.
   */
  list(options?: ListOptions): PagePromise<PipelinePage, PipelineEntry> {
    return pages(
      options,
      (page) => this.page(page),
      (page) => page.pipelines,
    );
  }

  /**
   * Removes a pipeline that has ended. Only the tasks of its steps stay.
   *
   * @param pipeline - The pipeline, its entry in the history, or its id.
   * @throws {MediagateError} `invalid_input` with the `reason` `pipeline_running` or
   * `unknown_pipeline`; `invalid_argument` for another value, such as a task.
   */
  async forget(
    pipeline: string | PipelineReference,
    options?: CallOptions,
  ): Promise<void> {
    const scope = this.scope();
    const limits = scope.check(options);
    const id = pipelineId(pipeline, "forget");
    await scope.call(limits, (client, limits) =>
      client.forgetPipeline(id, limits),
    );
  }

  /** Requests pages of the history until one has pipelines, or is the last. */
  private async page(options: ListOptions | undefined): Promise<PipelinePage> {
    const scope = this.scope();
    const { timeout } = scope.check(options, "list");
    const start = Date.now();
    let cursor = options?.cursor;
    for (;;) {
      const page = await historyPage(
        scope,
        remaining({ ...options, timeout, cursor }, start),
      );
      const { pipelines } = page;
      // A gateway that repeats a cursor has no further page.
      const next = page.cursor === cursor ? undefined : page.cursor;
      if (next === undefined) return { pipelines };
      if (pipelines.length > 0) return { pipelines, cursor: next };
      cursor = next;
    }
  }
}

function pipelineOf(scope: Scope, handle: wasm.Pipeline): Pipeline {
  return new Pipeline(new Followed<PipelineSnapshot>(scope, handle));
}

function pipelineId(
  value: string | PipelineReference,
  method: "restore" | "forget",
): string {
  // Only a task has a capability.
  if (isObject(value) && typeof value.capability === "string")
    throw invalidArgument("this is a task", `give it to tasks.${method}`);
  return checkId(
    value,
    `give pipelines.${method} a pipeline, or its entry or id`,
  );
}
