import type { Scope } from "./connection.js";
import { NOT_SENT } from "./error.js";
import { setHidden } from "./followed.js";
import {
  type Capabilities,
  CapabilityMethods,
  type CapabilityName,
} from "./generated/capabilities.js";
import { checkSource, wasmInput } from "./input.js";
import { notify } from "./instance.js";
import { checkKey, checkName, remaining } from "./options.js";
import { Pipelines } from "./pipelines.js";
import { StreamedFile } from "./streamed.js";
import type { Task } from "./task.js";
import { Tasks, taskOf } from "./tasks.js";
import type {
  CallOptions,
  CreateOptions,
  UploadOptions,
  UploadSource,
} from "./types/calls.js";
import type { Estimate, ModelCatalogue, Offers } from "./types/models.js";

/**
 * A client of one gateway, with a method for each capability. `connect` returns it. A call that
 * sends a request can also reject with any code of a read, such as `unauthenticated`, `network`,
 * `aborted` and `timeout`.
 */
export class Media extends CapabilityMethods<Task, CreateOptions> {
  readonly tasks: Tasks;
  readonly pipelines: Pipelines;
  /** @internal */
  declare readonly scope: () => Scope;

  /** @internal */
  constructor(scope: Scope) {
    super();
    setHidden(this, "scope", () => scope);
    this.tasks = new Tasks(scope);
    this.pipelines = new Pipelines(scope);
  }

  /**
   * Checks that the gateway responds and accepts the session, by one request that reaches no media
   * service: `connect` with a `token` sends none.
   */
  async ready(options?: CallOptions): Promise<void> {
    const scope = this.scope();
    await scope.call(scope.check(options), (client, limits) =>
      client.tasks("?limit=1", limits),
    );
  }

  /**
   * Creates a task of a capability by its name, as the capability's own method does, such as
   * `media.imageToVideo(input)`.
   *
   * Files in the input are uploaded first. For a task in the input, the client waits until it ends,
   * and the gateway moves its output into the storage: its bytes do not pass through the page. A
   * request without a response is repeated with its idempotency key, and the gateway makes at most
   * one task for a key.
   *
   * @param input - A file field takes a `File`, a `Blob`, a task or an output of one instead of an
   * id.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent; a code of
   * the media service or of the client. The `outcome` says if the create may have cost credits.
   */
  async create<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: CreateOptions,
  ): Promise<Task> {
    const scope = this.scope();
    const checked = scope.check(options, "create", NOT_SENT);
    const key = checkKey(options);
    const capability = checkName(name, NOT_SENT);
    const fields = wasmInput(input, key);
    const task = await scope.call(
      checked,
      (client, limits) =>
        client.create(capability, fields as Capabilities[Name], key, {
          ...limits,
          ...scope.listeners(options),
        }),
      key,
    );
    return taskOf(scope, task);
  }

  /**
   * Uploads a file and returns its id, for any file field. One client uploads a `Blob` only once,
   * and four files at a time. A stream is read to its end before anything is sent, unless it has a
   * `size`.
   *
   * @param file - A `File`, a `Blob`, bytes or a stream; at least one byte. Give bytes and streams
   * a `name` and a `type`.
   * @returns The id of the file, valid only for the user who uploaded it.
   * @throws {MediagateError} `invalid_argument` for any other source and for an empty one;
   * `invalid_input` with the `reason` `file_too_large`; `upload_failed` if the storage does not
   * accept the file, with the same `reason` if a proxy does not accept its size.
   */
  async upload(file: UploadSource, options?: UploadOptions): Promise<string> {
    const scope = this.scope();
    const checked = scope.check(options, "upload");
    const { onProgress } = options ?? {};
    const read = checkSource(file, options ?? {});
    const start = Date.now();
    return scope.call(checked, async (client, limits) => {
      const source = await read(limits);
      const total = source.size;
      const onSent =
        onProgress &&
        ((sent: number) =>
          // A form has more bytes than its file.
          notify(onProgress, { loaded: Math.min(sent, total), total }));
      try {
        return await client.upload(
          source as Blob,
          onSent,
          remaining(limits, start),
        );
      } catch (error) {
        if (!(source instanceof StreamedFile)) throw error;
        source.cancel();
        throw source.errorOf(error);
      }
    });
  }

  /**
   * Lists the models, if the gateway offers that.
   *
   * @returns The model catalogue as the media service sends it, with its own names in snake case.
   * Members other than `models` are not documented.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_path` if the gateway does
   * not offer it.
   */
  async models(options?: CallOptions): Promise<ModelCatalogue> {
    const scope = this.scope();
    return scope.call(scope.check(options), (client, limits) =>
      client.models(limits),
    );
  }

  /**
   * Lists the capabilities that the gateway offers, with the models that serve each and the values
   * that these accept. The function `capabilities` lists those that the package knows.
   *
   * @returns The offers as the gateway sends them, with its own names in snake case.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_path` if the gateway is
   * older than this call.
   */
  async capabilities(options?: CallOptions): Promise<Offers> {
    const scope = this.scope();
    return scope.call(scope.check(options), (client, limits) =>
      client.capabilities(limits),
    );
  }

  /**
   * Estimates the cost of a create, if the gateway offers that. Files in the input are uploaded
   * first, and results moved.
   *
   * @throws {MediagateError} `invalid_input` with all issues, or with the `reason` `unknown_path`
   * if the gateway does not offer it.
   */
  async estimate<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: CallOptions,
  ): Promise<Estimate> {
    const scope = this.scope();
    const checked = scope.check(options);
    const capability = checkName(name);
    const fields = wasmInput(input);
    return scope.call(checked, (client, limits) =>
      client.estimate(capability, fields as Capabilities[Name], limits),
    );
  }
}
