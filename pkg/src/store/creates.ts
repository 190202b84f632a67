// Stores creates before they are sent, so that none is lost that may cost credits.

import { validateWith } from "../client.js";
import {
  invalidArgument,
  isMediagateError,
  type MediagateError,
} from "../error.js";
import type { CapabilityName } from "../generated/capabilities.js";
import { wasmInput } from "../input.js";
import type { Media } from "../media.js";
import { isObject, type Limits, remaining } from "../options.js";
import type { Task } from "../task.js";
import type { CreateRow, Database, TaskKey } from "./database.js";

/**
 * The time in milliseconds for which a create can be repeated: the gateway's lifetime of a key
 * (`crates/worker/src/ledger/policy.rs`), less an hour for clocks that differ.
 */
const KEY_LIFETIME_MS = 23 * 60 * 60 * 1000;

/** The members of the options that a row has. */
interface RowOptions {
  /** The idempotency key. */
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
  { key, metadata, maxFileBytes }: RowOptions,
): Promise<CreateRow | undefined> {
  const fields = wasmInput(input, key);
  if (!isObject(fields) || !(await isValid(media, capability, fields)))
    return undefined;
  const bytes = filesOf(fields).reduce((sum, file) => sum + file.size, 0);
  return {
    key,
    at: Date.now(),
    capability,
    input: fields,
    metadata,
    isSent: false,
    isWhole: bytes <= maxFileBytes,
  };
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

/** Returns the files of an input. They are in its fields, and in lists there. */
function filesOf(input: Record<string, unknown>): Blob[] {
  return Object.values(input)
    .flat()
    .filter((value) => value instanceof Blob);
}

/** Returns true if a create can be repeated without the risk of a second charge. */
export function isRepeatable(row: CreateRow): boolean {
  const isExpired = row.isSent && Date.now() - row.at > KEY_LIFETIME_MS;
  return row.isWhole && !isExpired;
}

export function notRepeatable(row: CreateRow): MediagateError {
  return row.isWhole
    ? invalidArgument(
        "this create was sent more than 23 hours ago, so that a repetition could be charged again; " +
          "check the account, then forget it",
        { outcome: "unknown" },
      )
    : invalidArgument(
        "the files of this create were too large to store; " +
          "create it again with them, and forget this one",
        { outcome: "not_sent" },
      );
}

/** Returns the error for a create that has been removed since it was listed. */
export function notStored(): MediagateError {
  return invalidArgument(
    "this create is no longer stored: it was refused, or forgotten; " +
      "list the creates and the tasks again",
    // It may have become a task that was forgotten.
    { outcome: "unknown" },
  );
}

/** One attempt of a create, whose row is on the disk before anything is sent. */
export class Attempt {
  private readonly start = Date.now();
  private hasEnded = false;
  private hasReported = false;

  /**
   * @param media - The client, which does not store.
   * @param row - The row, which the attempt changes.
   * @param onError - Receives the first error of the database.
   */
  constructor(
    private readonly database: Database,
    private readonly media: Media,
    private readonly row: CreateRow,
    private readonly limits: Limits,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Uploads the files, stores their ids, and creates the task.
   *
   * @returns The task, and its key in the database.
   * @throws {MediagateError} The errors of a create. The row stays if the create may have cost
   * credits.
   */
  async run(): Promise<{ task: Task; key: TaskKey }> {
    // An earlier attempt may have been charged, even if this one is not sent.
    const wasSent = this.row.isSent;
    try {
      await this.save();
      await this.uploadFiles();
      // From here on the gateway may create the task, even if the page is closed.
      this.row.isSent = true;
      this.row.isWhole = true;
      await this.save();
      const task = await this.create();
      return { task, key: await this.settle(task) };
    } catch (error) {
      this.hasEnded = true;
      const outcome = isMediagateError(error) ? error.outcome : undefined;
      if (wasSent && outcome === "not_sent")
        throw withMembers(error, {
          outcome: "unknown",
          idempotencyKey: this.row.key,
        });
      if (outcome !== "unknown") await this.remove();
      throw error;
    }
  }

  private create(): Promise<Task> {
    const { capability, input, key } = this.row;
    const limits = remaining(this.limits, this.start);
    const options = { ...limits, idempotencyKey: key };
    // The input was checked when the row was made.
    return this.media.create(capability, input as never, options);
  }

  /** Replaces each file by its id, and stores the ids of each field. */
  private async uploadFiles(): Promise<void> {
    const { input } = this.row;
    const fields = Object.entries(input).map(async ([name, value]) => {
      if (filesOf({ value }).length === 0) return;
      input[name] = Array.isArray(value)
        ? await Promise.all(value.map((file) => this.upload(file)))
        : await this.upload(value);
      await this.save();
    });
    await Promise.all(fields);
  }

  /** Returns the id of a file, and any other value as it is. */
  private async upload(value: unknown): Promise<unknown> {
    if (!(value instanceof Blob)) return value;
    try {
      const limits = remaining(this.limits, this.start);
      return await this.media.upload(value, limits);
    } catch (error) {
      // The file's create was not sent.
      throw withMembers(error, { outcome: "not_sent" });
    }
  }

  /** Stores the row. An error, such as a full disk, must not stop the create. */
  private async save(): Promise<void> {
    // The uploads of other fields go on when one has failed.
    if (this.hasEnded) return;
    const put = (row: CreateRow) => this.database.putCreate(storable(row));
    try {
      await put(this.row);
    } catch (error) {
      if (!this.row.isWhole) return this.report(error);
      // A private window may store everything but files.
      await put({ ...this.row, isWhole: false }).catch((error) =>
        this.report(error),
      );
    }
  }

  private async settle(task: Task): Promise<TaskKey> {
    try {
      return await this.database.settle(this.row, task.toJSON());
    } catch (error) {
      this.report(error);
      return task.id;
    }
  }

  private async remove(): Promise<void> {
    // A row that stays is removed when it is old.
    await this.database.removeCreate(this.row.key).catch(() => {});
  }

  private report(error: unknown): void {
    if (!this.hasReported) this.onError(error);
    this.hasReported = true;
  }
}

/** Returns a row in its stored form: without its files, if these are too large. */
function storable(row: CreateRow): CreateRow {
  if (row.isWhole) return row;
  const input = Object.entries(row.input).map(([name, value]) => [
    name,
    filesOf({ value }).length > 0 ? undefined : value,
  ]);
  return { ...row, input: Object.fromEntries(input) };
}

function withMembers(
  error: unknown,
  members: Partial<Pick<MediagateError, "outcome" | "idempotencyKey">>,
): unknown {
  return isMediagateError(error) ? Object.assign(error, members) : error;
}
