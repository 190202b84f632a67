//! The client.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const MEDIA: &str = r#"
/** A client of one gateway, with a method for each capability. `connect` returns it. */
export interface Media extends CapabilityMethods<Task, CreateOptions> {
  /**
   * Creates a task of a capability by name. The methods of the capabilities, such as
   * `media.imageToVideo(input)`, do the same.
   *
   * Files in the input are uploaded first. A task in it is waited for, and the gateway moves its output into the storage:
   * no byte of it passes through the page. A request without a response is repeated with the same idempotency key, for
   * which the gateway makes at most one task.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - Its fields. A file field takes a `File`, a `Blob`, a task or an output of one in place of an id.
   * @param options - `idempotencyKey`, `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent; a code of the media service, such
   * as `insufficient_credits`; a code of the client, such as `network`. Its `outcome` says whether the create may have
   * cost credits.
   * @example
   * ```js
   * const task = await media.create("text_to_image", { prompt: "a lighthouse" });
   * ```
   */
  create<Name extends CapabilityName>(name: Name, input: Capabilities[Name], options?: CreateOptions): Promise<Task>;
  /**
   * Starts a pipeline: steps that use each other's outputs, which the gateway runs, also while no page is open. Steps that use
   * no outputs of each other run side by side. The gateway checks the whole before it creates anything.
   *
   * Files, tasks and outputs in inputs are uploaded and moved first, as in a create.
   *
   * @param build - Builds the steps, by a method for each capability. What it returns does not count; a promise is awaited.
   * @param options - `title`, `idempotencyKey`, `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`. None ends the
   * pipeline itself.
   * @returns The pipeline. Its outputs come later: wait with `film.done()`.
   * @throws {MediagateError} Those of a create, with paths such as `steps.clip.input.file_id` in `issues`; `budget_exceeded`
   * where the creates of all steps exceed a budget; `invalid_input` with the `reason` `unknown_path` where the gateway runs no
   * pipelines. Its `outcome` says whether the pipeline may have started.
   * @example
   * ```js
   * const film = await media.pipeline((p) => {
   *   const still = p.textToImage({ prompt: "a lighthouse at dusk" });
   *   p.imageToVideo({ file_id: still, prompt: "slow push in" });
   * });
   * const { outputs } = await film.done();
   * ```
   */
  pipeline(build: (builder: StepMethods<StepOptions>) => unknown, options?: PipelineOptions): Promise<Pipeline>;
  /**
   * A pipeline that was started earlier, on whichever page or device of the same user. It sends no request: `state` is
   * `undefined` until the pipeline is read or awaited.
   *
   * @param saved - Its id, what `JSON.parse(JSON.stringify(pipeline))` returned, or its entry in the history.
   * @returns The pipeline. An unknown id is an error of its first request: `invalid_input` with the `reason`
   * `unknown_pipeline`.
   * @throws {MediagateError} `invalid_argument` for any other value.
   */
  pipelineById(saved: string | SavedPipeline): Pipeline;
  /**
   * Uploads a file and returns its id, for any file field. One client uploads the same `Blob` once, and four files at
   * a time. A stream is read to its end before anything is sent.
   *
   * @param file - A `File`, a `Blob`, bytes or a stream; at least one byte. Give bytes and streams a `name` and a `type`.
   * @param options - `name`, `type`, `onProgress`, `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The id of the file, valid for the same user.
   * @throws {MediagateError} `invalid_argument` for any other source and for an empty one; `invalid_input` with the
   * `reason` `file_too_large`; `upload_failed` where the storage does not accept it; `network`, `aborted`, `timeout`.
   * @example
   * ```js
   * const id = await media.upload(photo, { onProgress: ({ loaded, total }) => show(loaded / total) });
   * ```
   */
  upload(file: Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array>, options?: UploadOptions): Promise<string>;
  /**
   * Restores a task after a reload. It sends no request: `state` is `undefined` until the task is polled or awaited.
   *
   * @param saved - What `JSON.parse(JSON.stringify(task))` returned on the earlier page.
   * @returns The task. An unknown id is an error of its first request: `invalid_input` with the `reason` `unknown_task`.
   * @throws {MediagateError} `invalid_argument` for any other value.
   * @example
   * ```js
   * const restored = media.task(JSON.parse(JSON.stringify(task)));
   * ```
   */
  task(saved: SavedTask): Task;
  /**
   * Lists what this user has created, on whichever device, newest first, for as many days as the gateway's `HISTORY_DAYS`
   * says: one by default.
   *
   * @param options - `limit`, `cursor`, `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns A page of the history, and the `cursor` of the next one; or, iterated by `for await`, all entries, for which
   * further pages are requested as they are needed. `media.task(entry)` restores an entry's task, and an entry can be an
   * input as its task can. A page has the pipelines too, which an iteration leaves out.
   * @throws {MediagateError} `invalid_input` with the `reason` `invalid_parameter` for a `limit` or a `cursor` that is none;
   * any code of a read.
   * @example
   * ```js
   * const { tasks, cursor } = await media.tasks({ limit: 20 });
   * const older = cursor ? await media.tasks({ limit: 20, cursor }) : undefined;
   *
   * for await (const { title, state } of media.tasks()) show(title, state);
   * ```
   */
  tasks(options?: TasksOptions): Promise<TaskPage> & AsyncIterable<HistoryEntry>;
  /**
   * Removes a task that has ended from the history. The task itself stays readable by its id; of a result that came without
   * a task, nothing stays. Of a pipeline that has ended nothing stays either, except for the tasks of its steps.
   *
   * @param task - The task, its entry in the history, or its id; or a pipeline or its entry.
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @throws {MediagateError} `invalid_input` with the `reason` `task_running`, `unknown_task`, `pipeline_running` or
   * `unknown_pipeline`; `invalid_argument` for what is neither; any code of a read.
   */
  forget(task: TaskReference | SavedPipeline | string, options?: CallOptions): Promise<void>;
  /**
   * Lists the models, where the gateway offers that.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The model catalogue. What it has beyond `models` is the media service's own, and not documented.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_path` where the gateway does not offer it; any
   * code of a read, such as `unauthenticated`, `network` and `timeout`.
   */
  models(options?: CallOptions): Promise<ModelCatalogue>;
  /**
   * Estimates the cost of a create, where the gateway offers that. Files in the input are uploaded first, and results moved.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - Its fields, as for a create.
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The estimate as the media service sends it.
   * @throws {MediagateError} `invalid_input` with all issues, or with the `reason` `unknown_path` where the gateway does
   * not offer it; any code of an upload and of a read.
   */
  estimate<Name extends CapabilityName>(name: Name, input: Capabilities[Name], options?: CallOptions): Promise<Estimate>;
}
"#;
