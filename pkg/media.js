// A client, with a method for each capability.

import { capabilities } from "./catalogue.js";
import { copy } from "./dist/copy.js";
import { atOnce, keep, promised, readSource } from "./dist/driver.js";
import { hold, outputsOf, read } from "./dist/values.js";
import { hide, Task } from "./followed.js";
import { wasm } from "./loading.js";
import {
  idempotencyKey,
  idOf,
  limits,
  page,
  savedTask,
  source,
} from "./options.js";
import { Pipeline, stepsOf } from "./pipeline.js";

/** A client: `gateway` is the engine's. */
export class Media {
  /**
   * @param {number} gateway
   * @param {import("./options.js").Limits} defaults of its calls
   */
  constructor(gateway, defaults) {
    this.gateway = gateway;
    this.defaults = defaults;
    hide(this);
    keep(this, gateway);
  }

  /**
   * @param {string} name
   * @param {unknown} input
   * @param {unknown} [options]
   */
  async create(name, input, options) {
    // Whatever a caller's values do when they are read, they do before the engine runs.
    const [{ gateway }, named, copied] = [this, copy(name), copy(input)];
    const notSent = { outcome: "not_sent" };
    const limit = limits(options, this.defaults, notSent);
    const key = idempotencyKey(options, notSent);
    const begin = (/** @type {number} */ promise) =>
      wasm().create(promise, gateway, hold(named), hold(copied), hold(key));
    // The engine that knows what became of it is gone then.
    const lost = { outcome: "unknown", idempotencyKey: key };
    return new Task(await promised(begin, this, limit, lost), this);
  }

  /**
   * @param {unknown} file
   * @param {unknown} [options]
   */
  async upload(file, options) {
    const { gateway } = this;
    const { name, type, progress, read } = source(file, options);
    const limit = limits(options, this.defaults);
    const send = (/** @type {number} */ promise, /** @type {Blob} */ blob) =>
      wasm().upload(promise, gateway, hold(blob), hold(progress));
    const begin = (/** @type {number} */ promise) =>
      read
        ? readSource(promise, file, name, type, read(promise, send))
        : send(promise, /** @type {Blob} */ (file));
    return promised(begin, this, limit);
  }

  /**
   * @param {unknown} build
   * @param {unknown} [options]
   */
  async pipeline(build, options) {
    const [{ gateway }, title] = [this, copy(read(options, "title"))];
    const notSent = { outcome: "not_sent" };
    const key = idempotencyKey(options, notSent);
    const steps = await stepsOf(build);
    // After the function, which may take its time.
    const limit = limits(options, this.defaults, notSent);
    const begin = (/** @type {number} */ promise) =>
      wasm().pipeline(promise, gateway, hold(title), hold(steps), hold(key));
    const lost = { outcome: "unknown", idempotencyKey: key };
    return new Pipeline(await promised(begin, this, limit, lost), this);
  }

  /** @param {unknown} saved */
  pipelineById(saved) {
    const [{ gateway }, id] = [
      this,
      idOf(
        saved,
        "pipelineById takes the id of a pipeline, or what it is saved as",
      ),
    ];
    return new Pipeline(
      atOnce(() => wasm().restorePipeline(gateway, hold(id))),
      this,
    );
  }

  /** @param {unknown} saved */
  task(saved) {
    const [{ gateway }, copied] = [this, savedTask(saved)];
    return new Task(
      atOnce(() => wasm().restore(gateway, hold(copied))),
      this,
    );
  }

  /** @param {unknown} [options] */
  async models(options) {
    const { gateway } = this;
    return promised(
      (promise) => wasm().models(promise, gateway),
      this,
      limits(options, this.defaults),
    );
  }

  /**
   * A page of the history, or, iterated, all of its entries from there on.
   *
   * @param {object} [options]
   */
  tasks(options) {
    const first = tasksPage(this, options);
    const next = (/** @type {string} */ cursor) =>
      tasksPage(this, { ...options, cursor });
    async function* entries() {
      let page = await first;
      yield* page.tasks;
      for (let last; page.cursor && page.cursor !== last; ) {
        last = page.cursor;
        page = await next(last);
        yield* page.tasks;
      }
    }
    return Object.assign(first, { [Symbol.asyncIterator]: entries });
  }

  /**
   * @param {unknown} task or pipeline
   * @param {unknown} [options]
   */
  async forget(task, options) {
    const [{ gateway }, id] = [
      this,
      idOf(task, "forget takes a task or a pipeline, or the id of a task"),
    ];
    const isPipeline = id !== task && read(task, "capability") === undefined;
    const begin = (/** @type {number} */ promise) =>
      wasm().forget(promise, gateway, hold(id), isPipeline);
    await promised(begin, this, limits(options, this.defaults));
  }

  /**
   * @param {string} name
   * @param {unknown} input
   * @param {unknown} [options]
   */
  async estimate(name, input, options) {
    const [{ gateway }, named, copied] = [this, copy(name), copy(input)];
    const begin = (/** @type {number} */ promise) =>
      wasm().estimate(promise, gateway, hold(named), hold(copied));
    return promised(begin, this, limits(options, this.defaults));
  }
}

/**
 * @param {Media} media
 * @param {unknown} options
 * @returns {Promise<import("./index.js").TaskPage>}
 */
async function tasksPage(media, options) {
  const query = page(options);
  const begin = (/** @type {number} */ promise) =>
    wasm().tasks(promise, media.gateway, hold(query));
  const data = await promised(begin, media, limits(options, media.defaults));
  const list = (/** @type {string} */ name) =>
    /** @type {any[]} */ (Array.isArray(data?.[name]) ? data[name] : []).filter(
      (it) => it?.id,
    );
  const tasks = list("tasks").map((it) => ({
    ...it,
    outputs: outputsOf(it, it.id),
  }));
  return { ...data, tasks, pipelines: list("pipelines") };
}

// The names come from the catalogue in the wasm, so that a new capability needs no line here.
export function addMethods() {
  for (const { name, method } of capabilities()) {
    /** @type {any} */ (Media.prototype)[method] =
      /**
       * @this {Media}
       * @param {any} input
       * @param {import("./index.js").CreateOptions} [options]
       */
      function (input, options) {
        return this.create(name, input, options);
      };
  }
}
