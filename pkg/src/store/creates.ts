// Stores creates and starts of pipelines before they are sent, so that none is lost that may cost
// credits.

import { validateWith } from "../client.js";
import { copyInput, isPlain } from "../equal.js";
import {
  type ErrorCode,
  type ErrorMembers,
  invalidArgument,
  isMediagateError,
  type MediagateError,
  NOT_SENT,
  type Outcome,
} from "../error.js";
import {
  CATALOGUE,
  type CapabilityName,
  type StepMethods,
} from "../generated/capabilities.js";
import { wasmInput } from "../input.js";
import { notify } from "../instance.js";
import { copyOf } from "../json.js";
import { isFresh } from "../lifetime.js";
import type { Media } from "../media.js";
import { isObject, remaining } from "../options.js";
import type { Pipeline } from "../pipeline.js";
import { sumOf } from "../progress.js";
import type { Task } from "../task.js";
import type {
  CallOptions,
  CreateOptions,
  CreateState,
  FileProgress,
} from "../types/calls.js";
import type { StepOptions } from "../types/pipeline.js";
import type { StoredStep } from "../types/store.js";
import type {
  CreateRow,
  Database,
  TaskCreateRow,
  TaskRow,
} from "./database.js";
import { strippedOf } from "./files.js";
import { settle } from "./history.js";

/** What a start sends. */
export type StartInput = { title?: string | undefined; steps: StoredStep[] };

interface RowOptions {
  key: string;
  metadata: unknown;
  /** The most bytes of files that are stored. */
  maxFileBytes: number;
}

/**
 * Returns the row of a new create; `undefined` for an input that is not valid. The client rejects
 * that before it sends anything.
 */
export async function newRow(
  media: Media,
  capability: CapabilityName,
  input: unknown,
  options: RowOptions,
): Promise<CreateRow | undefined> {
  const fields = wasmInput(input, options.key);
  if (!isObject(fields) || !(await isValid(media, capability, fields)))
    return undefined;
  return { ...rowOf(fields, options), capability };
}

/** Returns the row of a new start; `undefined` as {@link newRow}. */
export async function newStartRow(
  media: Media,
  { title, steps }: StartInput,
  options: RowOptions,
): Promise<CreateRow | undefined> {
  if (title !== undefined && typeof title !== "string") return undefined;
  const checks = steps.map(({ capability, input }) =>
    isValid(media, capability, input),
  );
  const isEachValid = (await Promise.all(checks)).every(Boolean);
  return isEachValid ? rowOf({ title, steps }, options) : undefined;
}

function rowOf(
  input: Record<string, unknown>,
  { key, metadata, maxFileBytes }: RowOptions,
): CreateRow {
  const bytes = filesOf(input).reduce((sum, file) => sum + file.size, 0);
  return {
    key,
    at: Date.now(),
    input,
    uploads: {},
    metadata: storableMetadata(metadata),
    isWhole: bytes <= maxFileBytes,
  };
}

/** Returns metadata that IndexedDB takes. It takes no proxy, which a framework may put around it. */
export function storableMetadata(metadata: unknown): unknown {
  // JSON has no files, but leaves out functions.
  for (const copy of [() => metadata, () => copyInput(metadata)])
    try {
      const copied = copy();
      structuredClone(copied);
      return copied;
    } catch {
      // The next copy may be one.
    }
  return copyOf(metadata) ?? metadata;
}

async function isValid(media: Media, capability: string, input: unknown) {
  const load = async () => media.scope().connection.instance;
  try {
    const issues = await validateWith(load, capability, input);
    return issues.every((issue) => issue.severity !== "error");
  } catch {
    // There is no such capability, or the client has crashed.
    return false;
  }
}

function filesOf(input: Record<string, unknown>): Blob[] {
  const files: Blob[] = [];
  replaceFiles(input, (file) => files.push(file));
  return files;
}

export function isCreate(row: CreateRow): row is TaskCreateRow {
  return row.capability !== undefined;
}

/** Returns true if a create can be repeated without the risk of a second charge. */
export function isRepeatable(row: CreateRow): boolean {
  return row.sentAt === undefined ? row.isWhole : isFresh(row.sentAt);
}

export function inputOf(row: CreateRow): Record<string, unknown> {
  const ids = usableIds(row);
  return replaceFiles(row.input, (file, place) => ids[place] ?? file);
}

/** Returns the ids of the uploaded files that the gateway still holds, by their places. */
export function usableIds(row: CreateRow): Record<string, string> {
  const fresh = Object.entries(row.uploads).filter(([, { at }]) => isFresh(at));
  return Object.fromEntries(fresh.map(([place, { id }]) => [place, id]));
}

/** Replaces each file of an input. A place is a path, such as `field` or `steps.0.input.field`. */
function replaceFiles<Input>(
  input: Input,
  replace: (file: Blob, place: string) => unknown,
  path: readonly string[] = [],
): Input {
  const replaced = (value: unknown, name: string | number): unknown =>
    replaceFiles(value, replace, [...path, String(name)]);
  if (input instanceof Blob) return replace(input, path.join(".")) as Input;
  if (Array.isArray(input)) return input.map(replaced) as Input;
  if (!isPlain(input)) return input;
  const members = Object.entries(input).map(([name, value]) => [
    name,
    replaced(value, name),
  ]);
  return Object.fromEntries(members) as Input;
}

export function notRepeatable(row: CreateRow): MediagateError {
  const call = callOf(row);
  return row.sentAt === undefined
    ? invalidArgument(
        `the files of this ${call} were too large to store`,
        `repeat the ${call} with them, and forget this one`,
        { outcome: "not_sent" },
      )
    : invalidArgument(
        `this ${call} was sent more than 23 hours ago, so that a repetition could be charged again`,
        "check the account, then forget it",
        { outcome: "unknown" },
      );
}

export function notOwned(row: CreateRow): MediagateError {
  const call = callOf(row);
  return invalidArgument(
    `this ${call} is of another user`,
    `it waits until that user lists the ${call}s again`,
    { outcome: row.sentAt === undefined ? "not_sent" : "unknown" },
  );
}

export function notStored(outcome: Outcome): MediagateError {
  return invalidArgument(
    "this create or start is no longer stored: it was refused or forgotten, or its pipeline is known",
    "list the store and the history again",
    { outcome },
  );
}

function callOf(row: CreateRow): string {
  return isCreate(row) ? "create" : "start";
}

/** The errors after which a create may succeed later, although its client does not repeat it now. */
const PASSING: readonly ErrorCode[] = [
  "unauthenticated",
  "upstream_credentials",
  "rate_limit",
  "budget_exceeded",
  "token_failed",
  "network",
  "unreadable",
  "aborted",
  "timeout",
  "task_unfinished",
  "crashed",
  // Of a token: the input was checked before.
  "invalid_argument",
];

/** Returns true if an error is a refusal for a reason that stays. */
function isLasting(error: unknown): boolean {
  if (!isMediagateError(error) || error.retryable) return false;
  // Without a response, it is only probable why an upload fails.
  if (error.code === "upload_failed") return error.status !== undefined;
  return !PASSING.includes(error.code);
}

export type Listeners = Pick<CreateOptions, "onProgress" | "onState">;

class ProgressSum {
  private readonly files: FileProgress[] = [];

  constructor(private readonly listener: Listeners["onProgress"]) {}

  /** Adds a file. Returns a function that receives the bytes sent of it. */
  add(file: Blob): (sent: number) => void {
    const { size: total } = file;
    const index = this.files.push({ file, loaded: 0, total }) - 1;
    return (loaded) => {
      this.files[index] = { file, loaded, total };
      if (this.listener) notify(this.listener, sumOf([...this.files]));
    };
  }
}

/** Sends the create or the start of a row, whose input was checked when the row was made. */
function send(
  media: Media,
  { capability }: CreateRow,
  input: Record<string, unknown>,
  options: CreateOptions,
): Promise<Task | Pipeline> {
  if (capability) return media.create(capability, input as never, options);
  const { title, steps } = input as StartInput;
  return media.pipelines.start((builder) => addSteps(builder, steps), {
    ...options,
    title,
  });
}

/** Not `instanceof`, since the client may be of another copy of the package. */
export function isTask(made: Task | Pipeline): made is Task {
  return "capability" in made;
}

const METHODS = new Map(CATALOGUE.map(({ name, method }) => [name, method]));

function addSteps(
  builder: StepMethods<StepOptions>,
  steps: readonly StoredStep[],
): void {
  for (const { name, capability, input } of steps) {
    const method = METHODS.get(capability);
    // A later version of the package may have stored the step.
    if (!method)
      throw invalidArgument(
        `this version of mediagate has no capability ${capability}`,
        "update it",
        NOT_SENT,
      );
    builder[method](input as never, { name });
  }
}

export interface AttemptOptions extends Listeners {
  media: Media;
  limits: CallOptions;
  /** True if the create was not stored before. */
  isNew: boolean;
  /** Returns true if an abort of the create forgets it, unless it was sent. */
  isForgotten: () => boolean;
  owner: (limits: CallOptions) => Promise<string>;
  /** Receives the first error of the database. */
  onError: (error: unknown) => void;
}

/** One attempt of a create or a start, whose row is on the disk before anything is sent. */
export class Attempt {
  private readonly start = Date.now();
  private hasEnded = false;
  private hasReported = false;
  /** True if the row is on the disk, unless it was forgotten since. */
  private isStored = false;
  private readonly progress: ProgressSum;
  private row: CreateRow;

  /** @param before - The row as it was before this attempt. */
  constructor(
    private readonly database: Database,
    private readonly before: CreateRow,
    private readonly options: AttemptOptions,
  ) {
    this.row = before;
    this.progress = new ProgressSum(options.onProgress);
  }

  /**
   * Uploads the files, stores their ids, and sends the request.
   *
   * @returns The task or the pipeline, and the row of a task, unless the database has failed.
   * @throws {MediagateError} The errors of a create. The row goes only after a refusal for a reason
   * that stays, and if a new create is aborted before it was sent.
   */
  async run(): Promise<{ made: Task | Pipeline; row: TaskRow | undefined }> {
    try {
      // An earlier attempt has ended with its error, or its page was closed.
      this.row = { ...this.row, error: undefined, state: undefined };
      if (filesOf(inputOf(this.row)).length > 0) await this.enter("uploading");
      else await this.save();
      const input = await this.uploadFiles();
      await this.checkOwner();
      // The create may wait for a task, and its files are not stored.
      if (!this.row.isWhole) this.row = withIds(this.row);
      const made = await this.send(input);
      return { made, row: await this.settle(made) };
    } catch (error) {
      this.hasEnded = true;
      throw await this.failed(error);
    }
  }

  /** Stores what is left of the create after an error. Returns the error with its outcome. */
  private async failed(error: unknown): Promise<unknown> {
    const { key, sentAt } = this.before;
    const { outcome, code } = isMediagateError(error)
      ? error
      : { outcome: undefined, code: undefined };
    // An earlier attempt may have been charged, even if this one was not sent.
    if (sentAt !== undefined && outcome === "not_sent")
      return this.stays(
        withMembers(error, { outcome: "unknown", idempotencyKey: key }),
      );
    // Without an outcome, such as after a crash, what is on the disk says if it was sent.
    if (outcome === undefined || outcome === "unknown")
      return this.stays(error);
    const isForgotten = code === "aborted" && this.options.isForgotten();
    if (isForgotten || isLasting(error)) {
      // A row that stays is removed when it is old.
      await this.database
        .write((rows) => rows.delete("creates", key))
        .catch(() => {});
      return error;
    }
    // It was not sent, so it still needs its files, unless only their ids could be stored.
    const unsent = this.before.isWhole ? this.before : withIds(this.before);
    const failure = withMembers(error, { idempotencyKey: key });
    // It may have been forgotten meanwhile.
    await this.put({ ...unsent, error: plainOf(failure) }).catch(() => {});
    return failure;
  }

  /** Stores the error of an attempt whose create stays as it is on the disk. */
  private async stays(error: unknown): Promise<unknown> {
    await this.database
      .write(async (rows) => {
        const row = await rows.get("creates", this.row.key);
        if (row && !row.isForgotten)
          await rows.put("creates", { ...row, error: plainOf(error) });
      })
      .catch(() => {});
    return error;
  }

  /**
   * Checks that the session is still of the user of the create. An anonymous session that can't be
   * renewed is followed by another one.
   */
  private async checkOwner(): Promise<void> {
    const { owner, limits } = this.options;
    const name = await owner(remaining(limits, this.start));
    if (name !== this.row.owner) throw notOwned(this.row);
  }

  private async send(input: Record<string, unknown>): Promise<Task | Pipeline> {
    const { media, limits } = this.options;
    let refusal: unknown;
    const onState = async (state: CreateState) => {
      if (state !== "sending") return this.enter(state);
      await this.enterSending(input).catch((error: unknown) => {
        refusal = error;
        throw error;
      });
      // Its rejection ends the create, of which nothing was sent.
      await this.options.onState?.(state);
    };
    try {
      return await send(media, this.row, input, {
        ...remaining(limits, this.start),
        idempotencyKey: this.row.key,
        onState,
      });
    } catch (error) {
      throw refusal ?? error;
    }
  }

  /** Stores that from here on the request may be charged, even if the page is closed. */
  private async enterSending(input: Record<string, unknown>): Promise<void> {
    // The user may have changed while the create waited for a task.
    await this.checkOwner();
    const { sentAt = Date.now() } = this.row;
    // The ids replace the files, since the gateway only recognises a repetition with the same ids.
    this.row = { ...this.row, input, sentAt, isWhole: true, state: "sending" };
    await this.save();
  }

  /** Stores a state before the create is sent, and reports it. */
  private async enter(state: CreateState): Promise<void> {
    this.row = { ...this.row, state };
    await this.save();
    const { onState } = this.options;
    if (onState) notify(onState, state);
  }

  /** Uploads each file, and stores its id. Returns the input with the ids. */
  private async uploadFiles(): Promise<Record<string, unknown>> {
    const uploads: Promise<readonly [string, string]>[] = [];
    const begin = async (file: Blob, place: string) =>
      [place, await this.upload(file, place)] as const;
    replaceFiles(this.row.input, (file, place) =>
      uploads.push(begin(file, place)),
    );
    const ids = new Map(await Promise.all(uploads));
    return replaceFiles(this.row.input, (_, place) => ids.get(place));
  }

  private async upload(file: Blob, place: string): Promise<string> {
    const onSent = this.progress.add(file);
    const known = usableIds(this.row)[place];
    if (known !== undefined) {
      onSent(file.size);
      return known;
    }
    const { media, limits } = this.options;
    try {
      const id = await media.upload(file, {
        ...remaining(limits, this.start),
        onProgress: ({ loaded }) => onSent(loaded),
      });
      const { platform } = media.scope().connection;
      this.row.uploads[place] = { id, at: platform.uploadedAt(file) };
      await this.save();
      return id;
    } catch (error) {
      // The file's create was not sent.
      throw withMembers(error, { outcome: "not_sent" });
    }
  }

  /** Stores the row, unless the attempt has ended: the uploads of other fields go on then. */
  private async save(): Promise<void> {
    if (!this.hasEnded) await this.put(this.row);
  }

  /**
   * Stores a row. An error, such as a full disk, must not stop the create.
   *
   * @throws {MediagateError} `invalid_argument` if the create was forgotten meanwhile.
   */
  private async put(row: CreateRow): Promise<void> {
    const put = (row: CreateRow) => this.write(storable(row));
    let isKept = true;
    try {
      isKept = await put(row);
      this.isStored = true;
    } catch (error) {
      if (!row.isWhole) return this.report(error);
      // A private window may store everything but files.
      const metadata = strippedOf(row.metadata);
      const isWhole = filesOf(row.input).length === 0;
      await put({ ...row, metadata, isWhole }).then(
        () => {
          this.isStored = true;
        },
        (error) => this.report(error),
      );
    }
    if (!isKept)
      throw notStored(row.sentAt === undefined ? "not_sent" : "unknown");
  }

  /** Writes the row, and returns true if it is kept. It may have been forgotten. */
  private write(row: CreateRow): Promise<boolean> {
    return this.database.write(async (rows) => {
      const stored = await rows.get("creates", row.key);
      const known = stored?.isForgotten ? undefined : stored;
      if (!known && (this.isStored || !this.options.isNew)) {
        // A create that was not sent after all made no task for the history to list.
        if (stored && row.sentAt === undefined)
          await rows.delete("creates", row.key);
        return false;
      }
      // Another tab may have changed the metadata since this attempt has read it.
      const { metadata } = known ?? row;
      await rows.put("creates", { ...row, metadata });
      return true;
    });
  }

  private async settle(made: Task | Pipeline): Promise<TaskRow | undefined> {
    try {
      return await this.database.write(async (rows) => {
        if (isTask(made))
          return settle(rows, this.row, made.toJSON(), made.snapshot);
        await rows.delete("creates", this.row.key);
        return undefined;
      });
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  private report(error: unknown): void {
    if (!this.hasReported) this.options.onError(error);
    this.hasReported = true;
  }
}

/** Returns a row with the ids of its files, which are not stored. */
function withIds(row: CreateRow): CreateRow {
  const input = inputOf(row);
  return { ...row, input, isWhole: filesOf(input).length === 0 };
}

/** Returns a row in its stored form: without its files, if these are too large. */
function storable(row: CreateRow): CreateRow {
  if (row.isWhole) return row;
  return { ...row, input: replaceFiles(row.input, () => undefined) };
}

/** Returns the members of an error that a page may show later. */
function plainOf(error: unknown): ErrorMembers | undefined {
  if (!isMediagateError(error)) return undefined;
  const { code, message, hint, reason, outcome, idempotencyKey } = error;
  const { status, appCode, requestId, retryable, retryAfter } = error;
  return {
    ...{ code, message, hint, reason, outcome, idempotencyKey },
    ...{ status, appCode, requestId, retryable, retryAfter },
  };
}

function withMembers(
  error: unknown,
  members: Partial<Pick<MediagateError, "outcome" | "idempotencyKey">>,
): unknown {
  return isMediagateError(error) ? Object.assign(error, members) : error;
}
