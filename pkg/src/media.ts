import type { Connection } from "./connection.js";
import { invalidArgument } from "./error.js";
import { Followed, setHidden } from "./followed.js";
import {
  type Capabilities,
  CapabilityMethods,
  type CapabilityName,
  type StepMethods,
  type TaskReference,
} from "./generated/capabilities.js";
import { checkSource, wasmInput } from "./input.js";
import { notify } from "./instance.js";
import {
  checkId,
  checkKey,
  checkLimits,
  checkName,
  checkPage,
  isObject,
  type Limits,
} from "./options.js";
import { Pipeline, stepsOf } from "./pipeline.js";
import { outputsOf } from "./snapshot.js";
import { Task } from "./task.js";
import type {
  CallOptions,
  CreateOptions,
  UploadOptions,
  UploadSource,
} from "./types/calls.js";
import type {
  HistoryEntry,
  PipelineEntry,
  TaskPage,
  TasksOptions,
} from "./types/history.js";
import type { Estimate, ModelCatalogue } from "./types/models.js";
import type {
  PipelineOptions,
  PipelineSnapshot,
  SavedPipeline,
  StepOptions,
} from "./types/pipeline.js";
import type { SavedTask, TaskSnapshot } from "./types/task.js";
import type * as wasm from "./wasm/mediagate.js";

/** A client of one gateway, with a method for each capability. `connect` returns it. */
export class Media extends CapabilityMethods<Task, CreateOptions> {
  /** @internal */
  declare readonly connection: () => Connection;
  /** @internal */
  declare readonly defaults: Limits;

  /** @internal */
  constructor(connection: Connection, defaults: Limits) {
    super();
    setHidden(this, "connection", () => connection);
    setHidden(this, "defaults", defaults);
  }

  /**
   * Creates a task of a capability by name. The methods of the capabilities, such as
   * `media.imageToVideo(input)`, do the same.
   *
   * Files in the input are uploaded first. A task in it is waited for, and the gateway moves its
   * output into the storage: no byte of it passes through the page. A request without a response is
   * repeated with the same idempotency key, for which the gateway makes at most one task.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - The fields. A file field takes a `File`, a `Blob`, a task or an output of one
   * instead of an id.
   * @param options - `idempotencyKey`, `signal`, `timeout` in milliseconds, `maxRetries` and
   * `onRetry`.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent; a code of
   * the media service, such as `insufficient_credits`; a code of the client, such as `network`. The
   * `outcome` says if the create may have cost credits.
   * @example
   * ```js
   * const task = await media.create("text_to_image", { prompt: "a lighthouse" });
   * ```
   */
  async create<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: CreateOptions,
  ): Promise<Task> {
    const notSent = { outcome: "not_sent" } as const;
    const limits = checkLimits(options, this.defaults, notSent);
    const key = checkKey(options);
    const capability = checkName(name, notSent);
    const fields = wasmInput(input);
    const task = await this.connection().call(
      limits,
      (client, limits) => client.create(capability, fields, key, limits),
      key,
    );
    return taskOf(this, task);
  }

  /**
   * Starts a pipeline: steps that use each other's outputs. The gateway runs it, also while no page
   * is open. Steps that use no outputs of each other run side by side. The gateway checks the whole
   * pipeline before it creates anything.
   *
   * Files, tasks and outputs in inputs are uploaded and moved first, as in a create.
   *
   * @param build - Builds the steps, by a method for each capability. Its result is ignored, but a
   * promise is awaited.
   * @param options - `title`, `idempotencyKey`, `signal`, `timeout` in milliseconds, `maxRetries`
   * and `onRetry`. None of them ends the pipeline itself.
   * @returns The pipeline. Its outputs come later: wait with `film.done()`.
   * @throws {MediagateError} Those of a create, with paths such as `steps.clip.input.file_id` in
   * `issues`; `budget_exceeded` if the creates of all steps exceed a budget; `invalid_input` with
   * the `reason` `unknown_path` if the gateway runs no pipelines. The `outcome` says if the
   * pipeline may have started.
   * @example
   * ```js
   * const film = await media.pipeline((p) => {
   *   const still = p.textToImage({ prompt: "a lighthouse at dusk" });
   *   p.imageToVideo({ file_id: still, prompt: "slow push in" });
   * });
   * const { outputs } = await film.done();
   * ```
   */
  async pipeline(
    build: (builder: StepMethods<StepOptions>) => unknown,
    options?: PipelineOptions,
  ): Promise<Pipeline> {
    const notSent = { outcome: "not_sent" } as const;
    checkLimits(options, this.defaults, notSent);
    const key = checkKey(options);
    const title = options?.title ?? undefined;
    if (title !== undefined && typeof title !== "string")
      throw invalidArgument("title is not a string", notSent);
    const steps = await stepsOf(build);
    // Again: the signal may be aborted by now.
    const limits = checkLimits(options, this.defaults, notSent);
    const pipeline = await this.connection().call(
      limits,
      (client, limits) => client.startPipeline(title, steps, key, limits),
      key,
    );
    return pipelineOf(this, pipeline);
  }

  /**
   * Returns a pipeline that was started earlier, on any page or device of the same user. It sends
   * no request: `state` is `undefined` until the pipeline is read or awaited.
   *
   * @param saved - The id, the result of `JSON.parse(JSON.stringify(pipeline))`, or the entry in
   * the history.
   * @returns The pipeline. An unknown id is an error of the first request: `invalid_input` with the
   * `reason` `unknown_pipeline`.
   * @throws {MediagateError} `invalid_argument` for any other value.
   */
  pipelineById(saved: string | SavedPipeline): Pipeline {
    const { instance, client } = this.connection();
    const id = checkId(
      saved,
      "pipelineById takes the id of a pipeline, or the saved pipeline",
    );
    return pipelineOf(
      this,
      instance.run(() => client.pipeline(id)),
    );
  }

  /**
   * Uploads a file and returns its id, for any file field. One client uploads the same `Blob` once,
   * and four files at a time. A stream is read to its end before anything is sent.
   *
   * @param file - A `File`, a `Blob`, bytes or a stream; at least one byte. Give bytes and streams
   * a `name` and a `type`.
   * @param options - `name`, `type`, `onProgress`, `signal`, `timeout` in milliseconds,
   * `maxRetries` and `onRetry`.
   * @returns The id of the file, valid for the same user.
   * @throws {MediagateError} `invalid_argument` for any other source and for an empty one;
   * `invalid_input` with the `reason` `file_too_large`; `upload_failed` if the storage does not
   * accept the file; `network`, `aborted`, `timeout`.
   * @example
   * ```js
   * const id = await media.upload(photo, { onProgress: ({ loaded, total }) => show(loaded / total) });
   * ```
   */
  async upload(file: UploadSource, options?: UploadOptions): Promise<string> {
    const limits = checkLimits(options, this.defaults);
    const { onProgress } = options ?? {};
    if (onProgress !== undefined && typeof onProgress !== "function")
      throw invalidArgument(
        "onProgress is not a function; give one that takes { loaded, total }",
      );
    const read = checkSource(file, options ?? {});
    const start = Date.now();
    return this.connection().call(limits, async (client, limits) => {
      const { signal, timeout } = limits;
      const blob = await read({ signal, timeout });
      const total = blob.size;
      const onSent =
        onProgress &&
        ((sent: number) =>
          // A form has more bytes than its file.
          notify(onProgress, { loaded: Math.min(sent, total), total }));
      const left = timeout && Math.max(1, timeout - (Date.now() - start));
      return client.upload(blob, onSent, { ...limits, timeout: left });
    });
  }

  /**
   * Restores a task after a reload. It sends no request: `state` is `undefined` until the task is
   * polled or awaited.
   *
   * @param saved - The result of `JSON.parse(JSON.stringify(task))` on the earlier page.
   * @returns The task. An unknown id is an error of the first request: `invalid_input` with the
   * `reason` `unknown_task`.
   * @throws {MediagateError} `invalid_argument` for any other value.
   * @example
   * ```js
   * const restored = media.task(JSON.parse(JSON.stringify(task)));
   * ```
   */
  task(saved: SavedTask): Task {
    const { instance, client } = this.connection();
    const { id, capability, result } = saved ?? ({} as Partial<SavedTask>);
    if (typeof capability === "string" && typeof id === "string") {
      if (id.trim())
        return taskOf(
          this,
          instance.run(() => client.task(id, capability)),
        );
      if (result !== undefined)
        return taskOf(
          this,
          instance.run(() => client.finishedTask(capability, result)),
        );
    }
    throw invalidArgument(
      "this is not a saved task; give JSON.parse(JSON.stringify(task))",
    );
  }

  /**
   * Lists the creates of this user on any device, newest first, for as many days as the gateway's
   * `HISTORY_DAYS` says: one by default.
   *
   * @param options - `limit`, `cursor`, `signal`, `timeout` in milliseconds, `maxRetries` and
   * `onRetry`.
   * @returns A page of the history, and the `cursor` of the next one. Iterated by `for await`, it has
   * all entries: further pages are requested as they are needed. `media.task(entry)` restores an
   * entry's task, and an entry can be an input as its task can. A page has the pipelines too, but
   * an iteration leaves them out.
   * @throws {MediagateError} `invalid_input` with the `reason` `invalid_parameter` for a wrong
   * `limit` or `cursor`; any code of a read.
   * @example
   * ```js
   * const { tasks, cursor } = await media.tasks({ limit: 20 });
   * const older = cursor ? await media.tasks({ limit: 20, cursor }) : undefined;
   *
   * for await (const { title, state } of media.tasks()) show(title, state);
   * ```
   */
  tasks(
    options?: TasksOptions,
  ): Promise<TaskPage> & AsyncIterable<HistoryEntry> {
    const first = pageOf(this, options);
    const next = (cursor: string) => pageOf(this, { ...options, cursor });
    async function* entries() {
      let page = await first;
      yield* page.tasks;
      for (
        let last: string | undefined;
        page.cursor && page.cursor !== last;
      ) {
        last = page.cursor;
        page = await next(last);
        yield* page.tasks;
      }
    }
    return Object.assign(first, { [Symbol.asyncIterator]: entries });
  }

  /**
   * Removes a task that has ended from the history. The task itself stays readable by its id. Of a
   * result that came without a task, nothing stays. Of a pipeline that has ended, only the tasks of
   * its steps stay.
   *
   * @param task - The task, its entry in the history, or its id; or a pipeline or its entry.
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @throws {MediagateError} `invalid_input` with the `reason` `task_running`, `unknown_task`,
   * `pipeline_running` or `unknown_pipeline`; `invalid_argument` for another value; any code of a
   * read.
   */
  async forget(
    task: TaskReference | SavedPipeline | string,
    options?: CallOptions,
  ): Promise<void> {
    const limits = checkLimits(options, this.defaults);
    const id = checkId(
      task,
      "forget takes a task or a pipeline, or the id of a task",
    );
    const isPipeline = typeof task === "object" && !("capability" in task);
    await this.connection().call(limits, (client, limits) =>
      isPipeline
        ? client.forgetPipeline(id, limits)
        : client.forgetTask(id, limits),
    );
  }

  /**
   * Lists the models, if the gateway offers that.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The model catalogue. Members other than `models` are the media service's own, and not
   * documented.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_path` if the gateway does
   * not offer it; any code of a read, such as `unauthenticated`, `network` and `timeout`.
   */
  async models(options?: CallOptions): Promise<ModelCatalogue> {
    const limits = checkLimits(options, this.defaults);
    const models = await this.connection().call(limits, (client, limits) =>
      client.models(limits),
    );
    return models as ModelCatalogue;
  }

  /**
   * Estimates the cost of a create, if the gateway offers that. Files in the input are uploaded
   * first, and results moved.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - The fields, as for a create.
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The estimate as the media service sends it.
   * @throws {MediagateError} `invalid_input` with all issues, or with the `reason` `unknown_path`
   * if the gateway does not offer it; any code of an upload and of a read.
   */
  async estimate<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: CallOptions,
  ): Promise<Estimate> {
    const limits = checkLimits(options, this.defaults);
    const capability = checkName(name);
    const fields = wasmInput(input);
    const estimate = await this.connection().call(limits, (client, limits) =>
      client.estimate(capability, fields, limits),
    );
    return estimate as Estimate;
  }
}

function taskOf(media: Media, handle: wasm.Task): Task {
  return new Task(
    new Followed<TaskSnapshot>(media.connection(), media.defaults, handle),
  );
}

function pipelineOf(media: Media, handle: wasm.Task): Pipeline {
  return new Pipeline(
    new Followed<PipelineSnapshot>(media.connection(), media.defaults, handle),
  );
}

/** Requests a page of the history. */
async function pageOf(media: Media, options?: TasksOptions): Promise<TaskPage> {
  const limits = checkLimits(options, media.defaults);
  const query = checkPage(options ?? {});
  const data = await media
    .connection()
    .call(limits, (client, limits) => client.tasks(query, limits));
  const page = isObject(data) ? data : {};
  const tasks = entriesOf<HistoryEntry>(page.tasks);
  return {
    ...page,
    tasks: tasks.map((entry) => ({
      ...entry,
      outputs: outputsOf(entry, entry.id),
    })),
    pipelines: entriesOf<PipelineEntry>(page.pipelines),
  };
}

/** Returns the entries of a list that have an id. */
function entriesOf<Entry extends { id: string }>(list: unknown): Entry[] {
  if (!Array.isArray(list)) return [];
  return list.filter((entry) => isObject(entry) && entry.id);
}
