// Shared by all entries, which differ in where the wasm comes from. Importing this fetches nothing.

// Imported by name, so that bundlers drop the exports that are not used.
import { atOnce, enter, keep, newId, promised, readSource, release, start } from "./dist/driver.js";
import { initSync } from "./dist/mediagate.js";
import { at, copy, hold, outputsOf, parseJson } from "./dist/values.js";
import { createError, errorWith, isMediagateError, MediagateError } from "./error.js";
import { network as hooked } from "./hooks.js";
import { connection, idempotencyKey, limits, page, savedTask, source, taskId } from "./options.js";

export { isMediagateError, MediagateError };

/**
 * @typedef {import("./index.js").WasmSource} WasmSource
 * @typedef {import("./index.js").ConnectOptions} ConnectOptions
 * @typedef {import("./index.js").CapabilityInfo} CapabilityInfo
 */

/** @type {Promise<void> | undefined} */
let loading;
/** @type {import("./dist/mediagate.js").Wasm | undefined} */
let exports;

/**
 * Loads the wasm from a source, or from the result of a function. The first call of any entry loads it, once.
 *
 * @param {unknown} source
 */
export function begin(source) {
  loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/**
 * @param {Promise<void>} loaded
 * @param {ConnectOptions} options
 */
export async function open(loaded, options) {
  await loaded;
  const limit = limits(options);
  const defaults = { ...limit, signal: undefined };
  const { base, token, turnstile, network } = connection(options, hooked);
  const begin = (/** @type {number} */ promise) =>
    wasm().connect(promise, hold(base), hold(token), typeof token === "function", hold(turnstile), hold(network));
  return /** @type {import("./index.js").Media} */ (
    /** @type {unknown} */ (new Media(await promised(begin, undefined, limit), defaults))
  );
}

/** @type {typeof import("./index.js").validate} */
export const validate = (name, input) => {
  const [{ validate }, named, copied] = [wasm(), copy(name), copy(input)];
  return at(atOnce(() => validate(hold(named), hold(copied))));
};

/** @type {typeof import("./index.js").capabilities} */
export const capabilities = () => at(atOnce(wasm().capabilities)).map(describe);

/** @type {(status: number, text: string, name?: import("./index.js").CapabilityName) => any} */
export const decodeEnvelope = (status, text, name) => {
  const [{ decodeEnvelope }, body] = [wasm(), typeof text === "string" ? parseJson(text) : undefined];
  const [code, named] = [copy(status), copy(name)];
  return at(atOnce(() => decodeEnvelope(hold(code), hold(body), hold(named))));
};

function wasm() {
  if (exports) return exports;
  throw createError("not_loaded", "not loaded yet; await load() or connect() first");
}

/** @param {any} input */
async function instantiate(input) {
  let place = "its place";
  try {
    const source = await (typeof input === "function" ? input() : input);
    place = source.url || source.href || (typeof source === "string" ? source : place);
    exports = initSync({ module: await compile(source) });
  } catch (cause) {
    if (isMediagateError(cause)) throw cause;
    throw createError("load_failed", remedy(String(cause), String(place)), cause);
  }
  start(exports, errorWith);
  addMethods();
}

// Not `compileStreaming`: it would save a millisecond, and fails where the server does not send the media type.
/** @param {any} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const remote = typeof source === "string" || source.href || source instanceof Request;
  const response = remote ? await fetch(source) : source;
  return WebAssembly.compile(await (response.arrayBuffer?.() ?? response));
}

// The names come from the catalogue in the wasm, so that a new capability needs no line here.
function addMethods() {
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

/**
 * The members that an object has are none of the caller's, and are not shown with it. They are no private ones: a framework
 * may put a proxy around it.
 *
 * @param {object} object
 */
function hide(object) {
  for (const name of Object.keys(object)) Object.defineProperty(object, name, { enumerable: false });
}

/** A client: `gateway` is the engine's. */
class Media {
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
      read ? readSource(promise, file, name, type, read(promise, send)) : send(promise, /** @type {Blob} */ (file));
    return promised(begin, this, limit);
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
    return promised((promise) => wasm().models(promise, gateway), this, limits(options, this.defaults));
  }

  /**
   * A page of the history, or, iterated, all of its entries from there on.
   *
   * @param {object} [options]
   */
  tasks(options) {
    const first = tasksPage(this, options);
    const next = (/** @type {string} */ cursor) => tasksPage(this, { ...options, cursor });
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
   * @param {unknown} task
   * @param {unknown} [options]
   */
  async forget(task, options) {
    const [{ gateway }, id] = [this, taskId(task)];
    await promised((promise) => wasm().forget(promise, gateway, hold(id)), this, limits(options, this.defaults));
  }

  /**
   * @param {string} name
   * @param {unknown} input
   * @param {unknown} [options]
   */
  async estimate(name, input, options) {
    const [{ gateway }, named, copied] = [this, copy(name), copy(input)];
    const begin = (/** @type {number} */ promise) => wasm().estimate(promise, gateway, hold(named), hold(copied));
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
  const begin = (/** @type {number} */ promise) => wasm().tasks(promise, media.gateway, hold(query));
  const data = await promised(begin, media, limits(options, media.defaults));
  const list = /** @type {any[]} */ (Array.isArray(data?.tasks) ? data.tasks : []);
  return { ...data, tasks: list.filter((it) => it?.id).map((it) => ({ ...it, outputs: outputsOf(it, it.id) })) };
}

/** @typedef {import("./index.js").TaskSnapshot} TaskSnapshot */

/** A task: `key` is the engine's. */
class Task {
  /**
   * @param {number} key
   * @param {Media} media kept for as long as the task is
   */
  constructor(key, media) {
    this.key = key;
    this.media = media;
    // In an object of its own, since a page may freeze the task.
    /** @type {{ snapshot: TaskSnapshot }} */
    this.last = { snapshot: at(wasm().taskSnapshot(key)) };
    hide(this);
    // What consoles show of it.
    this.id = this.last.snapshot.id;
    this.capability = this.last.snapshot.capability;
    keep(this, key);
  }

  /** @returns {TaskSnapshot} the last one that is known, also where the engine has crashed since */
  get snapshot() {
    this.last.snapshot = at(wasm().taskSnapshot(this.key)) ?? this.last.snapshot;
    return this.last.snapshot;
  }

  get state() {
    return this.snapshot.state;
  }

  get progress() {
    return this.snapshot.progress;
  }

  get eta() {
    return this.snapshot.eta;
  }

  get outputs() {
    return this.snapshot.outputs;
  }

  get raw() {
    return this.snapshot.raw;
  }

  /**
   * What Node's console shows.
   *
   * @param {unknown} _depth
   * @param {unknown} options
   * @param {(value: unknown, options: unknown) => string} inspect
   */
  [Symbol.for("nodejs.util.inspect.custom")](_depth, options, inspect) {
    return `Task ${inspect({ ...this.snapshot }, options)}`;
  }

  toJSON() {
    const { key } = this;
    return at(atOnce(() => wasm().saved(key))) ?? { id: this.id, capability: this.capability };
  }

  /** @param {unknown} [options] */
  async refresh(options) {
    const { key } = this;
    return promised((promise) => wasm().refresh(promise, key), this, limits(options, this.media.defaults));
  }

  /** @param {unknown} [options] */
  async done(options) {
    const { key } = this;
    return promised((promise) => wasm().done(promise, key), this, patient(options, this.media));
  }

  /** @param {unknown} [options] */
  updates(options) {
    return new Updates(this, options);
  }

  [Symbol.asyncIterator]() {
    return this.updates();
  }
}

/**
 * The limits of a wait for a task, which may take much longer than a request: the `timeout` of `connect` is none of it.
 *
 * @param {unknown} options
 * @param {Media} media
 */
const patient = (options, { defaults }) => limits(options, { ...defaults, timeout: undefined });

/** The snapshots of a task, one after the other, from the first call of `next` on. Leaving ends a `next` that waits. */
class Updates {
  /**
   * @param {Task} task
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

/**
 * @param {string} path
 * @returns {CapabilityInfo}
 */
function describe(path) {
  const [group, medium, name] = path.split("/").slice(-3);
  return /** @type {any} */ ({
    name,
    method: name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    group,
    medium,
    path,
  });
}

/**
 * @param {string} cause
 * @param {string} place
 */
function remedy(cause, place) {
  // The messages are those of Chrome and Safari, of Firefox, and of platforms that do not compile at run time.
  if (/unsafe-eval|by CSP/.test(cause)) {
    return "the page's Content-Security-Policy blocks WebAssembly; add 'wasm-unsafe-eval' to its script-src";
  }
  if (/embedder/.test(cause)) {
    return "this platform compiles no bytes; give load() the module of mediagate/mediagate.wasm";
  }
  return place.includes("/.vite/")
    ? `Vite's optimiser left the WebAssembly behind; add optimizeDeps: { exclude: ["mediagate"] } to its config`
    : `no WebAssembly at ${place}; serve mediagate/mediagate.wasm there, allow it in the CSP's connect-src, give load() its URL or bytes, or import "mediagate/inline"`;
}
