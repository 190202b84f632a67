/**
 * `mediagate/testing` has a client for tests of components, without a network and without
 * WebAssembly: its tasks go through snapshots that the test scripts.
 *
 * @module testing
 */

import { Connection, Scope } from "./connection.js";
import { invalidArgument, isMediagateError, MediagateError } from "./error.js";
import {
  CATALOGUE,
  type Capabilities,
  type CapabilityName,
  type RefusalReason,
} from "./generated/capabilities.js";
import { Instance, type Wasm } from "./instance.js";
import { Media } from "./media.js";
import { nearest } from "./nearest.js";
import { checkName, isObject } from "./options.js";
import { outputWith } from "./output.js";
import type { Estimate, ModelCatalogue, Offers } from "./types/models.js";
import type { Output, TaskSnapshot } from "./types/task.js";
import { within } from "./waiting.js";
import type * as wasm from "./wasm/mediagate.js";

export { MediagateError } from "./error.js";

const STATES = [
  "QUEUED",
  "PENDING",
  "RUNNING",
  "PROCESSING",
  "SUCCEEDED",
  "FAILED",
  "EXPIRED",
] as const;

const MEMBERS: readonly (keyof FakeSnapshot)[] = [
  "state",
  "progress",
  "eta",
  "changedAt",
  "unansweredSince",
  "unfinished",
  "warnings",
  "error",
  "model",
  "credits",
  "outputs",
  "raw",
];

const OUTPUT_MEMBERS: readonly (keyof FakeOutput)[] = [
  "url",
  "kept",
  "notKept",
  "size",
  "contentType",
  "fileName",
  "expiresAt",
  "assetId",
  "kind",
];

export type FakeOutput = Omit<
  Output,
  "taskId" | "output" | "blob" | "download"
>;

export interface FakeSnapshot
  extends Partial<
    Omit<TaskSnapshot, "id" | "capability" | "state" | "outputs">
  > {
  readonly state?: (typeof STATES)[number];
  readonly outputs?: readonly FakeOutput[];
}

/** A snapshot, or the error of reading it, such as `network`; or a promise to wait for. */
export type FakeStep = Answer<FakeSnapshot> | Promise<Answer<FakeSnapshot>>;

type Answer<Result> = Result | MediagateError;

/** The answer to a call, or a function that returns it. */
export type FakeReply<Input, Result> =
  | Answer<Result>
  | ((input: Input) => Answer<Result> | Promise<Answer<Result>>);

/**
 * The steps of the tasks by capability. A poll or an awaited update goes to the next step, and
 * `done()` to the last. A task whose last step has no last state stays there. The default is
 * `QUEUED`, `RUNNING` and `SUCCEEDED`, with one output.
 */
export type FakeTasks = {
  readonly [Name in CapabilityName]?: FakeReply<
    Capabilities[Name],
    readonly FakeStep[]
  >;
};

/** The results of a client's calls; each has a default. */
export interface FakeScript extends FakeTasks {
  readonly upload?: FakeReply<Blob, string>;
  readonly models?: FakeReply<undefined, ModelCatalogue>;
  /** The default is every capability of the media service's document, without models. */
  readonly capabilities?: FakeReply<undefined, Offers>;
  readonly estimate?: FakeReply<unknown, Estimate>;
}

export interface FakeCall {
  readonly method: "create" | "estimate" | "upload" | "models" | "capabilities";
  /** The capability of a create or an estimate. */
  readonly name?: CapabilityName;
  /** The input, before files are uploaded, or the file. A task in it is `{ id, capability }`. */
  readonly input?: unknown;
}

/** A client without a gateway. */
export interface FakeMedia extends Media {
  /** The calls so far, in their order. */
  readonly calls: readonly FakeCall[];
}

/**
 * Makes a client that sends nothing, for tests of components. It does not check inputs, and has no
 * pipelines.
 *
 * @throws {MediagateError} `invalid_argument` for an unknown capability, state or member.
 */
export function fakeMedia(script: FakeScript = {}): FakeMedia {
  for (const [name, steps] of Object.entries(script)) {
    if (/^(upload|models|capabilities|estimate)$/.test(name)) continue;
    const capability = checkName(name);
    // Those of a function, and those that are promises, are checked when they are reached.
    if (!Array.isArray(steps)) continue;
    for (const [index, step] of steps.entries())
      if (!(step instanceof Promise)) checkStep(step, index + 1, capability);
  }
  const client = new FakeClient(script);
  // A store validates an input before it stores the create.
  const instance = new Instance({ validate: () => [] } as unknown as Wasm);
  const target = { base: "", token: undefined, turnstile: undefined };
  const connection = new Connection(instance, target, client);
  const media = new Media(new Scope(connection, {}));
  return Object.assign(media, { calls: client.calls });
}

class FakeClient implements wasm.Client {
  /** Declared by the types of the wasm. Nobody calls it. */
  declare [Symbol.dispose]: () => void;
  readonly calls: FakeCall[] = [];
  private readonly created = new Map<string, FakeTask>();
  private lastId = 0;

  constructor(private readonly script: FakeScript) {}

  async connect(): Promise<void> {}

  async token(): Promise<string> {
    return "fake";
  }

  free(): void {}

  create(
    name: string,
    input: unknown,
    _key: string,
    limits: wasm.CallLimits,
  ): Promise<FakeTask> {
    const capability = name as CapabilityName;
    this.calls.push({ method: "create", name: capability, input });
    const id = this.nextId("task");
    const create = async () => {
      await reportSending(limits);
      const reply = this.script[capability] as FakeReply<unknown, FakeStep[]>;
      const steps = await resultOf(reply, input, stepsOf(id, capability));
      const task = new FakeTask(id, capability, steps, input);
      await task.advance();
      this.created.set(id, task);
      return task;
    };
    return within(limits, create());
  }

  async upload(
    file: Blob,
    onSent: ((loaded: number) => void) | undefined,
    limits: wasm.CallLimits,
  ): Promise<string> {
    this.calls.push({ method: "upload", input: file });
    const reply = resultOf(this.script.upload, file, this.nextId("file"));
    onSent?.(Math.floor(file.size / 2));
    const id = await within(limits, reply);
    onSent?.(file.size);
    return id;
  }

  models(limits: wasm.CallLimits): Promise<ModelCatalogue> {
    this.calls.push({ method: "models" });
    const reply = resultOf(this.script.models, undefined, { models: [] });
    return within(limits, reply);
  }

  capabilities(limits: wasm.CallLimits): Promise<Offers> {
    this.calls.push({ method: "capabilities" });
    const documented = CATALOGUE.filter(({ extension }) => !extension);
    const capabilities = documented.map(({ name }) => ({
      capability: name,
      is_extension: false,
      models: [],
    }));
    const reply = resultOf(this.script.capabilities, undefined, {
      capabilities,
    });
    return within(limits, reply);
  }

  estimate(
    name: string,
    input: unknown,
    limits: wasm.CallLimits,
  ): Promise<Estimate> {
    const capability = name as CapabilityName;
    this.calls.push({ method: "estimate", name: capability, input });
    const reply = resultOf(this.script.estimate, input, { credits: 1 });
    return within(limits, reply);
  }

  task(id: string, name: string): FakeTask {
    const known = this.created.get(id);
    if (known) return known;
    const capability = name as CapabilityName;
    const reply: unknown = this.script[capability];
    const steps = Array.isArray(reply) ? reply : stepsOf(id, capability);
    return new FakeTask(id, capability, steps);
  }

  async tasks(query: string): Promise<wasm.HistoryPage> {
    const asked = new URLSearchParams(query);
    const start = Number(asked.get("cursor") ?? 0);
    const end = start + Number(asked.get("limit") ?? 50);
    const all = [...this.created.values()].reverse();
    return {
      tasks: all.slice(start, end).map((task) => task.entry()),
      pipelines: [],
      cursor: end < all.length ? String(end) : undefined,
    };
  }

  async forgetTask(id: string): Promise<void> {
    this.created.delete(id);
  }

  finishedTask = notFaked;
  pipeline = notFaked;
  startPipeline = notFaked;
  forgetPipeline = notFaked;

  private nextId(kind: "task" | "file"): string {
    this.lastId += 1;
    return `${kind}-${this.lastId}`;
  }
}

/** Reports to the caller that a create is sent. An error of the listener ends the create. */
async function reportSending({ onState }: wasm.CallLimits): Promise<void> {
  try {
    await onState?.("sending");
  } catch (cause) {
    throw new MediagateError({
      code: "aborted",
      message: "the call was aborted",
      outcome: "not_sent",
      cause,
    });
  }
}

/** A fake of the wasm's task. It goes on when it is read. */
class FakeTask implements wasm.Task {
  declare [Symbol.dispose]: () => void;
  snapshot: TaskSnapshot;
  private readonly createdAt = new Date().toISOString();
  private readonly steps: FakeStep[];
  private position = 0;
  private advancing: Promise<void> | undefined;

  constructor(
    private readonly id: string,
    private readonly capability: CapabilityName,
    steps: readonly FakeStep[],
    private readonly input?: unknown,
  ) {
    if (!Array.isArray(steps) || steps.length === 0)
      throw invalidArgument(
        `the script of ${capability} has no steps`,
        'give a list such as [{ state: "SUCCEEDED" }]',
      );
    this.snapshot = { id, capability, outputs: [], raw: undefined };
    this.steps = [...steps];
    // A poll does not wait for a promise, but goes to its step once there is one.
    steps.forEach(async (step, position) => {
      this.steps[position] = await Promise.resolve(step).catch(errorOf);
    });
  }

  free(): void {}

  resume = notFaked;
  cancel = notFaked;

  async refresh(limits: wasm.CallLimits): Promise<TaskSnapshot> {
    const isLast = this.position === this.steps.length;
    const isReady = !(this.steps[this.position] instanceof Promise);
    if (!isLast && isReady) await within(limits, this.advance());
    return this.snapshot;
  }

  async done(limits: wasm.CallLimits): Promise<TaskSnapshot> {
    const goToEnd = async () => {
      while (!this.hasEnded) await this.advance();
    };
    await within(limits, goToEnd());
    const { snapshot: task } = this;
    if (task.state === "SUCCEEDED") return task;
    const end = task.unfinished
      ? "unfinished"
      : String(task.state).toLowerCase();
    const { message, reason } = task.error ?? {};
    const ending = end === "unfinished" ? "has not ended in time" : end;
    throw new MediagateError({
      code: `task_${end as "failed" | "expired" | "unfinished"}`,
      message: `the task ${ending}${message ? `: ${message}` : ""}`,
      reason: reason as RefusalReason | undefined,
      task,
    });
  }

  subscribe(): wasm.Subscription<TaskSnapshot> {
    let seen: TaskSnapshot | undefined;
    const next = async (limits: wasm.CallLimits) => {
      // Before the first record, there is no snapshot to yield.
      if (seen === this.snapshot || this.snapshot.raw === undefined) {
        if (this.hasEnded) return undefined;
        await within(limits, this.advance());
      }
      seen = this.snapshot;
      return seen;
    };
    return { next, free() {} } as wasm.Subscription<TaskSnapshot>;
  }

  /** Goes to the next step, for all who wait for it. Stays pending if there is none. */
  advance(): Promise<void> {
    this.advancing ??= this.goOn().finally(() => {
      this.advancing = undefined;
    });
    return this.advancing;
  }

  /** Returns the task as a record of the gateway's history. */
  entry(): unknown {
    const { id, capability, state, outputs } = this.snapshot;
    const { title } = Object(this.input) as { title?: string };
    const records = outputs.map(({ url, assetId, kind }) => ({
      url,
      asset_id: assetId,
      kind,
    }));
    const created_at = this.createdAt;
    return { id, capability, title, created_at, state, outputs: records };
  }

  private get hasEnded(): boolean {
    const { state = "", unfinished = false } = this.snapshot;
    return unfinished || /^(SUCCEEDED|FAILED|EXPIRED)$/.test(state);
  }

  private async goOn(): Promise<void> {
    const step = await (this.steps[this.position] ??
      new Promise<never>(() => {}));
    this.position += 1;
    if (isMediagateError(step)) throw step;
    checkStep(step, this.position, this.capability);
    const { outputs = [], ...members } = step;
    const { id, capability } = this;
    const placed = outputs.map((output, position) =>
      outputWith({ ...output, taskId: id, output: position }),
    );
    this.snapshot = { raw: step, ...members, id, capability, outputs: placed };
  }
}

/**
 * @param number - The number of the step, from 1.
 * @throws {MediagateError} `invalid_argument` if the step is not valid.
 */
function checkStep(
  step: unknown,
  number: number,
  capability: CapabilityName,
): asserts step is FakeSnapshot {
  if (isMediagateError(step)) return;
  const place = `step ${number} of the script of ${capability}`;
  if (!isObject(step))
    throw invalidArgument(
      `${place} is no snapshot`,
      'give an object such as { state: "FAILED" }, or an error',
    );
  checkMembers(step, MEMBERS, place);
  const { state, outputs = [] } = step as FakeSnapshot;
  if (state !== undefined && !STATES.includes(state))
    throw invalidArgument(
      `${place} has the state ${JSON.stringify(state)}, which does not exist`,
      `give one of ${STATES.join(", ")}`,
    );
  for (const output of outputs)
    checkMembers(output, OUTPUT_MEMBERS, `an output of ${place}`);
}

function checkMembers(
  object: object,
  known: readonly string[],
  place: string,
): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  throw invalidArgument(
    `${place} has the member ${unknown}, which does not exist`,
    near ? `did you mean ${near}?` : `the members are ${known.join(", ")}`,
  );
}

function stepsOf(id: string, capability: CapabilityName): readonly FakeStep[] {
  const { medium } = CATALOGUE.find(({ name }) => name === capability) ?? {};
  const kind = medium === "asset" ? "pdf" : medium;
  const url = `https://media.example.com/outputs/${id}`;
  return [
    { state: "QUEUED" },
    { state: "RUNNING", progress: 0.5 },
    { state: "SUCCEEDED", progress: 1, outputs: [{ url, kind }] },
  ];
}

async function resultOf<Input, Result>(
  reply: FakeReply<Input, Result> | undefined,
  input: Input,
  byDefault: Result,
): Promise<Result> {
  const answer = async () =>
    typeof reply === "function"
      ? (reply as (input: Input) => unknown)(input)
      : reply;
  const result = await answer().catch(errorOf);
  if (isMediagateError(result)) throw result;
  return (result as Result | undefined) ?? byDefault;
}

/** Returns an error of the package, such as for an assertion that failed in a function. */
function errorOf(error: unknown): MediagateError {
  if (isMediagateError(error)) return error;
  const message = `the script of fakeMedia failed: ${error}`;
  const hint = "the cause says more";
  return new MediagateError({ code: "unknown", message, hint, cause: error });
}

function notFaked(): never {
  throw invalidArgument(
    "mediagate/testing has no pipelines, and no results without a task",
    "run a gateway by npx mediagate-gateway dev",
  );
}
