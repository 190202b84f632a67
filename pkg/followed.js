// What is followed: a task or a pipeline, with its last snapshot, and its updates.

import {
  atOnce,
  enter,
  keep,
  newId,
  promised,
  release,
} from "./dist/driver.js";
import { at } from "./dist/values.js";
import { wasm } from "./loading.js";
import { limits } from "./options.js";

/**
 * The members that an object has are none of the caller's, and are not shown with it. They are no private ones: a framework
 * may put a proxy around it.
 *
 * @param {object} object
 */
export function hide(object) {
  for (const name of Object.keys(object))
    Object.defineProperty(object, name, { enumerable: false });
}

/**
 * Gives the objects of a class these members of their last snapshots.
 *
 * @param {{ prototype: object }} of
 * @param {string[]} names
 */
export function mirror({ prototype }, names) {
  for (const name of names)
    Object.defineProperty(prototype, name, {
      get() {
        return this.snapshot[name];
      },
    });
}

/** @typedef {import("./media.js").Media} Media */

/**
 * A task or a pipeline: `key` is the engine's.
 *
 * @template {{ id: string, capability?: string }} Snapshot
 */
export class Followed {
  /**
   * @param {number} key
   * @param {Media} media kept for as long as this is
   */
  constructor(key, media) {
    this.key = key;
    this.media = media;
    // In an object of its own, since a page may freeze this one.
    /** @type {{ snapshot: Snapshot }} */
    this.last = { snapshot: at(wasm().taskSnapshot(key)) };
    hide(this);
    // What consoles show of it.
    this.id = this.last.snapshot.id;
    keep(this, key);
  }

  /** @returns {Snapshot} the last one that is known, also where the engine has crashed since */
  get snapshot() {
    this.last.snapshot =
      at(wasm().taskSnapshot(this.key)) ?? this.last.snapshot;
    return this.last.snapshot;
  }

  /**
   * What Node's console shows.
   *
   * @param {unknown} _depth
   * @param {unknown} options
   * @param {(value: unknown, options: unknown) => string} inspect
   */
  [Symbol.for("nodejs.util.inspect.custom")](_depth, options, inspect) {
    return `${this.snapshot.capability ? "Task" : "Pipeline"} ${inspect({ ...this.snapshot }, options)}`;
  }

  toJSON() {
    const { key, id } = this;
    return (
      at(atOnce(() => wasm().saved(key))) ?? {
        id,
        capability: this.last.snapshot.capability,
      }
    );
  }

  /** @param {unknown} [options] */
  async refresh(options) {
    const { key } = this;
    return promised(
      (promise) => wasm().refresh(promise, key),
      this,
      limits(options, this.media.defaults),
    );
  }

  /** @param {unknown} [options] */
  async done(options) {
    const { key } = this;
    return promised(
      (promise) => wasm().done(promise, key),
      this,
      patient(options, this.media),
    );
  }

  /** @param {unknown} [options] */
  updates(options) {
    return new Updates(this, options);
  }

  [Symbol.asyncIterator]() {
    return this.updates();
  }
}

mirror(Followed, ["state", "outputs"]);

/**
 * A task.
 *
 * @extends {Followed<import("./index.js").TaskSnapshot>}
 */
export class Task extends Followed {
  /**
   * @param {number} key
   * @param {Media} media
   */
  constructor(key, media) {
    super(key, media);
    this.capability = this.last.snapshot.capability;
  }
}

mirror(Task, ["progress", "eta", "raw"]);

/**
 * The limits of a wait for an end, which may take much longer than a request: the `timeout` of `connect` is none of it.
 *
 * @param {unknown} options
 * @param {Media} media
 */
const patient = (options, { defaults }) =>
  limits(options, { ...defaults, timeout: undefined });

/** The snapshots of a task or a pipeline, one after the other, from the first call of `next` on. Leaving ends a `next` that waits. */
class Updates {
  /**
   * @param {Followed<any>} task
   * @param {unknown} options
   */
  constructor(task, options) {
    this.task = task;
    this.options = options;
    this.subscription = 0;
    this.ended = false;
  }

  async next() {
    if (this.ended) return { done: true, value: undefined };
    const { task, options } = this;
    if (!this.subscription) {
      this.subscription = newId();
      keep(this, this.subscription);
      enter(() => wasm().subscribe(task.key, this.subscription));
    }
    try {
      const value = await promised(
        (promise) => wasm().next(promise, task.key, this.subscription),
        this,
        patient(options, task.media),
      );
      if (value) return { done: false, value };
      return this.return();
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  /** @param {unknown} [value] */
  async return(value) {
    if (this.subscription && !this.ended) release(this.subscription);
    this.ended = true;
    return { done: true, value };
  }

  /** @param {unknown} error */
  async throw(error) {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}
