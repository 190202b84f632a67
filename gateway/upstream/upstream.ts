// An upstream module: a Worker that speaks the service's API to the gateway, in front of any provider.
//
// It has no state. The id of a task contains the reference of the provider's job, and the gateway seals
// it before a page gets it.
import type { CapabilityName } from "mediagate";
import { withFiles } from "./files.js";
import type { Env, Input, Json, Model, Output, Status } from "./model.js";
import { pack, unpack } from "./packed.js";
import { ProviderError, streamFile, variableIn } from "./provider.js";
import { CODE, Refusal, refused } from "./refusal.js";
import { type MarkedUrl, marked, withKeys, withoutKeys } from "./secrets.js";
import { watched } from "./watched.js";

/** The values that a model accepts, by field. */
export type Accepts<C extends CapabilityName> = {
  readonly [K in keyof Input<C>]?: readonly NonNullable<Input<C>[K]>[];
};

/** A model, and the values that it accepts. The gateway refuses other values before they cost. */
export interface Offer<C extends CapabilityName = CapabilityName> {
  readonly model: Model<C>;
  readonly accepts?: Accepts<C>;
}

/** A model, with or without the values that it accepts. */
export type Choice<C extends CapabilityName = CapabilityName> =
  | Model<C>
  | Offer<C>;

/** A model for each capability, or several by `model_id`. The first one is the default. */
export type Offers = {
  readonly [C in CapabilityName]?:
    | Choice<C>
    | { readonly [modelId: string]: Choice<C> };
};

export interface UpstreamWorker {
  fetch(
    request: Request,
    env: Env,
    context: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response>;
}

const API = "/api/app/v1";
const CREATE = new RegExp(`^${API}/(?:generate|process)/\\w+/(\\w+)$`);
const TASK = new RegExp(`^${API}/(?:generate|process)/tasks/([\\w-]+)$`);
const FILE = /^\/files\/([\w-]+)$/;

/** The seconds after which a job without an end is given up. */
const DAY_S = 24 * 60 * 60;
/** The seconds during which a provider may not have a new job everywhere. */
const NEW_S = 60;
/** The longest id that the gateway takes, in characters. */
const MAX_ID = 2_048;

/** An output as the gateway reads it. */
interface WrittenOutput {
  readonly url: string;
  readonly content_type?: string | undefined;
}

/** A task. Its id contains it, so the names are short. */
interface Task {
  readonly c: string;
  readonly m: string;
  /** The time of the create, in seconds since 1970. */
  readonly t: number;
  /** The provider's reference, unless the job ended at once. */
  readonly j?: Json;
  /** The warnings, if there are any. Each response has them. */
  readonly w?: readonly string[] | undefined;
}

/** An output at a path of the module: a file that its model opens, or a URL with keys. */
type ModuleFile = [capability: string, model: string, file: Json] | MarkedUrl;

/** The provider that a request reached, for the gateway's log. */
interface Reached {
  provider?: string;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

/**
 * Makes an upstream module of models.
 *
 * @example
 * ```ts
 * export default upstream({
 *   text_to_image: falModel("fal-ai/flux/dev", ({ prompt }) => ({ prompt })),
 * });
 * ```
 */
export function upstream(offers: Offers): UpstreamWorker {
  const table = tableOf(offers);

  function offerOf(capability: string, named: unknown) {
    const models = table.get(capability);
    if (!models)
      throw new Refusal(CODE.model, `this module does not offer ${capability}`);
    const [first] = models.keys();
    const id = named ? String(named) : String(first);
    const offer = models.get(id);
    if (offer) return { id, ...offer };
    const ids = [...models.keys()].join(", ");
    throw new Refusal(
      CODE.model,
      `${capability} has no model ${id}; give one of ${ids}`,
    );
  }

  async function create(
    capability: string,
    body: Record<string, unknown>,
    env: Env,
    reached: Reached,
  ) {
    const { title: _title, model_id: named, ...fields } = body;
    const { id, model, accepts } = offerOf(capability, named);
    reached.provider = model.provider;
    checkValues(fields, accepts, id);
    const { input, unread } = watched(await withFiles(fields));
    const ready = () => {
      const { files } = unread();
      if (files.length > 0)
        throw new Refusal(CODE.input, `${id} does not use ${files.join(", ")}`);
    };
    const started = await model.start(input as never, env, ready);
    const { fields: others, files } = unread();
    const ignored = [...others, ...files].map(
      (name) => `${name} has no effect with ${id}`,
    );
    const w = listed([...ignored, ...(started.warnings ?? [])]);
    const task: Task = { c: capability, m: id, t: nowSeconds(), w };
    if ("job" in started) {
      const begun = { ...task, j: started.job };
      const status = { state: "QUEUED" } as const;
      return recordOf(idOf(begun), begun, model, status, env);
    }
    // The gateway keeps this record, and never asks for the task.
    const outputs = writtenOutputs(capability, id, started.outputs, env);
    return recordOf(idOf(task), task, model, success(outputs), env);
  }

  async function read(id: string, env: Env) {
    const task = taskOf(id);
    const model = table.get(task.c)?.get(task.m)?.model;
    if (!model) {
      const message = `the module no longer has ${task.m}`;
      return recordOf(id, task, model, { state: "EXPIRED", message }, env);
    }
    const status = await statusOf(model, task, env);
    if (status.state !== "SUCCEEDED")
      return recordOf(id, task, model, status, env);
    const { outputs, warnings } = status;
    const written = writtenOutputs(task.c, task.m, outputs, env);
    return recordOf(id, task, model, success(written, warnings), env);
  }

  async function cancel(id: string, env: Env) {
    const task = taskOf(id);
    const model = table.get(task.c)?.get(task.m)?.model;
    if (!model?.cancel || task.j === undefined)
      throw new Refusal(CODE.input, "this task can't be stopped");
    await model.cancel(task.j, env);
    return {};
  }

  async function open(packed: string, request: Request, env: Env) {
    const file = unpack<ModuleFile>(packed);
    if (file && "url" in file)
      return streamFile(withKeys(file, env), {}, request);
    const [capability, id, reference] = file ?? [];
    const model = table.get(capability ?? "")?.get(id ?? "")?.model;
    if (!model?.open || reference === undefined)
      return new Response(null, { status: 404 });
    return model.open(reference, request, env);
  }

  async function estimate(
    body: Record<string, unknown>,
    env: Env,
    reached: Reached,
  ) {
    const { capability, model_id: named, title: _title, ...fields } = body;
    const { model, id } = offerOf(String(capability), named);
    reached.provider = model.provider;
    if (!model.estimate)
      throw new Refusal(CODE.input, `${id} has no price in advance`);
    const input = await withFiles(fields);
    return { credits: await model.estimate(input as never, env) };
  }

  /** @throws {Refusal} with each variable that is not set, since nothing works without them */
  function list(env: Env) {
    const all = [...table].flatMap(([capability, models]) =>
      [...models].map(([id, offer]) => ({ capability, id, ...offer })),
    );
    const needed = new Set(all.flatMap(({ model }) => model.variables ?? []));
    const missing = [...needed].filter(
      (name) => variableIn(env, name) === undefined,
    );
    if (missing.length > 0)
      throw new Refusal(
        CODE.key,
        `set ${missing.join(", ")}, without which the module reaches no provider`,
      );
    return {
      models: all.map(({ capability, id, accepts = {} }) => ({
        model_id: id,
        capability,
        generation_options: accepts,
      })),
    };
  }

  async function respond(
    request: Request,
    env: Env,
    reached: Reached,
  ): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    const { method } = request;
    // Only the gateway calls a module. A page of this machine may find one that runs on its own.
    if (request.headers.has("origin"))
      throw new Refusal(CODE.key, "the module serves no pages");
    const file = FILE.exec(path)?.[1];
    if (file) return open(file, request, env);
    const task = TASK.exec(path)?.[1];
    if (task && method === "GET") return ok({ task: await read(task, env) });
    if (task && method === "DELETE") return ok(await cancel(task, env));
    if (method === "GET" && path === `${API}/models`) return ok(list(env));
    if (method === "POST" && path === `${API}/credits/estimate`)
      return ok(await estimate(await bodyOf(request), env, reached));
    const capability = CREATE.exec(path)?.[1];
    if (capability && method === "POST") {
      const body = await bodyOf(request);
      return ok({ task: await create(capability, body, env, reached) });
    }
    throw new Refusal(CODE.input, "the module has nothing at this path");
  }

  return {
    fetch(request, env, context) {
      const reached: Reached = {};
      const response = respond(request, env, reached).catch((error) =>
        refused(error, env, reached.provider),
      );
      // A create goes on if the gateway gives up: its job may have been charged.
      context.waitUntil(response);
      return response;
    },
  };
}

/** A success as the gateway reads it. */
interface Success {
  readonly state: "SUCCEEDED";
  readonly outputs: readonly WrittenOutput[];
  readonly warnings: readonly string[];
}

const success = (
  outputs: readonly WrittenOutput[],
  warnings: readonly string[] = [],
): Success => ({ state: "SUCCEEDED", outputs, warnings });

function recordOf(
  id: string,
  task: Task,
  model: Model | undefined,
  status: Success | Exclude<Status, { state: "SUCCEEDED" }>,
  env: Env,
) {
  const clean = (texts: readonly string[]) =>
    listed(texts.map((text) => withoutKeys(text, env)));
  const own = task.w ?? [];
  const common = { id, provider: model?.provider, warnings: clean(own) };
  switch (status.state) {
    case "SUCCEEDED": {
      const { state, outputs } = status;
      const warnings = clean([...own, ...status.warnings]);
      if (outputs.length > 0) return { ...common, state, outputs, warnings };
      const message =
        "the result has no output that the module reads; give the model a function for its outputs";
      return { ...common, state: "FAILED", error: { message } };
    }
    case "FAILED":
    case "EXPIRED": {
      const { state, reason } = status;
      const message = withoutKeys(status.message, env);
      return { ...common, state, error: { message, reason } };
    }
    default:
      return { ...common, ...status };
  }
}

/** Returns the id of a task, without warnings that are too long: the create's response has them. */
function idOf({ w, ...task }: Task): string {
  const whole = pack({ ...task, w });
  return whole.length <= MAX_ID ? whole : pack(task);
}

const listed = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined);

const ok = (data: unknown) => Response.json({ code: 0, message: "ok", data });

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const body: unknown = await request.json().catch(() => undefined);
  if (typeof body === "object" && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw new Refusal(CODE.input, "the body is not a JSON object");
}

function taskOf(id: string): Task {
  const task = unpack<Task>(id);
  if (typeof task?.c === "string" && typeof task.m === "string") return task;
  throw new Refusal(CODE.input, "there is no such task");
}

/**
 * Refuses values that a model does not accept. The gateway does so as well, but only for a model that
 * the caller names.
 */
function checkValues(
  fields: Record<string, unknown>,
  accepts: Offer["accepts"],
  id: string,
) {
  for (const [field, values] of Object.entries(accepts ?? {})) {
    const accepted = values as readonly unknown[];
    const value = fields[field] ?? undefined;
    if (value !== undefined && !accepted.includes(value))
      throw new Refusal(
        CODE.input,
        `${field}: ${id} accepts ${accepted.join(", ")}`,
      );
  }
}

const writtenOutputs = (
  capability: string,
  id: string,
  outputs: readonly Output[],
  env: Env,
): WrittenOutput[] =>
  outputs.map((output) => {
    const { type } = output;
    if ("file" in output) return ownOutput([capability, id, output.file], type);
    // A page must not get a URL with a key, as Google's Veo has them.
    const secret = marked(output.url, env);
    if (secret) return ownOutput(secret, type);
    return { url: output.url, content_type: type };
  });

const ownOutput = (file: ModuleFile, content_type: string | undefined) => ({
  url: `/files/${pack(file)}`,
  content_type,
});

/**
 * Reads the state of a job.
 *
 * @throws the error of a poll that fails, which is none of the job; the gateway polls again
 */
async function statusOf(model: Model, task: Task, env: Env): Promise<Status> {
  if (task.j === undefined)
    return {
      state: "EXPIRED",
      message: "only the response to the create had the end of this task",
    };
  const age = nowSeconds() - task.t;
  let status: Status;
  try {
    status = await model.status(task.j, env);
  } catch (error) {
    const code = error instanceof ProviderError ? error.status : undefined;
    if ((code === 404 || code === 410) && age >= NEW_S)
      return {
        state: "EXPIRED",
        message: "the provider no longer has the job",
      };
    if (age >= DAY_S) return GIVEN_UP;
    throw error;
  }
  const isRunning = status.state === "QUEUED" || status.state === "RUNNING";
  return isRunning && age >= DAY_S ? GIVEN_UP : status;
}

const GIVEN_UP: Status = {
  state: "EXPIRED",
  message:
    "the job has not ended within a day; it may still run at the provider, and cost",
};

type Table = Map<string, Map<string, Offer>>;

function tableOf(offers: Offers): Table {
  const entries = Object.entries(offers) as [string, object][];
  return new Map(
    entries.map(([capability, choice]) => {
      const models = modelsOf(choice);
      if (models.size > 0) return [capability, models];
      throw new TypeError(`${capability} has no model`);
    }),
  );
}

const isModel = (value: object): value is Model =>
  "start" in value && typeof value.start === "function";
const isOffer = (value: object): value is Offer =>
  "model" in value &&
  typeof value.model === "object" &&
  value.model !== null &&
  isModel(value.model);

function modelsOf(choice: object): Map<string, Offer> {
  if (isModel(choice)) return new Map([[choice.name, { model: choice }]]);
  if (isOffer(choice)) return new Map([[choice.model.name, choice]]);
  const entries = Object.entries(choice) as [string, Choice][];
  return new Map(
    entries.map(([id, each]) => [id, isModel(each) ? { model: each } : each]),
  );
}
