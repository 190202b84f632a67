// Performs what the engine starts, and settles promises. Nothing here decides anything. The functions that the wasm calls
// are declared in driver.rs; none throws, whatever values a caller passes.

// The types in the comments are checked (../tsconfig.json). What a caller passes is `unknown` or `any`.

import { at, attempt, hold, read, sweep } from "./values.js";

/** @typedef {import("./values.js").Handle} Handle */

// --- the engine: one call of it at a time ---

/**
 * The exports of the wasm that report what an operation ended with.
 *
 * @typedef {object} Events
 * @property {(id: number, status: number, body: Handle, requestId: Handle, retryAfter: number, isStream: boolean) => void} responded
 * @property {(id: number, cause: Handle, isRefused: boolean) => void} failed
 * @property {(id: number, block: number) => void} diagnosed
 * @property {(id: number, events: Handle) => void} received
 * @property {(id: number) => void} fired
 * @property {(id: number, hasThrown: boolean, value: Handle) => void} returned
 * @property {(promise: number, error: Handle, retryable: boolean) => void} limited
 * @property {(id: number) => void} release
 * @property {() => void} referenced
 * @property {() => void} reset
 */

/** @type {Events} */
export let engine;
/** @type {(members: any) => Error} */
let createError;

/**
 * Sets the engine, and how an error is made of its members.
 *
 * @param {Events} events
 * @param {(members: any) => Error} create
 */
export function start(events, create) {
  engine = events;
  createError = create;
}

let lastId = 0;
export const newId = () => ++lastId;

/** @type {(() => void)[]} */
const queue = [];
/** @type {(() => void)[]} */
const afterwards = [];
/** How many calls of the engine run, each within the one before: what a caller passes may call the client. */
let depth = 0;

/**
 * Calls the engine.
 *
 * @template Result
 * @param {() => Result} call
 * @returns {Result}
 * @throws {MediagateError} `crashed`
 */
function run(call) {
  let cause;
  depth++;
  try {
    return call();
  } catch (error) {
    cause = error;
  } finally {
    depth--;
  }
  try {
    crash(cause);
  } catch {
    // The stack was used up, and with it what was left for this.
    queueMicrotask(() => crash(cause));
  }
  throw createError({ ...CRASHED, cause });
}

/** Ends a call from outside: nothing that the engine holds is in use by a call of it then. */
function tidy() {
  if (depth) return;
  attempt(sweep, engine.referenced);
  for (let work = afterwards.shift(); work; work = afterwards.shift())
    attempt(work);
}

/**
 * Does what may run a caller's code once the engine does not run.
 *
 * @param {() => void} work
 */
export function later(work) {
  afterwards.push(work);
  tidy();
}

/**
 * Calls the engine, as soon as no other call of it runs.
 *
 * @param {() => void} call
 */
export function enter(call) {
  queue.push(call);
  if (depth) return;
  // A crash has rejected whatever waits.
  for (let next = queue.shift(); next; next = queue.shift()) attempt(run, next);
  tidy();
}

/** @type {Error | undefined} */
let thrown;

/**
 * The result of a call of the engine that has one at once.
 *
 * @template Result
 * @param {() => Result} call
 * @returns {Result}
 */
export function atOnce(call) {
  // Before, and not after: what the call returns may be a handle.
  tidy();
  const outer = thrown;
  thrown = undefined;
  try {
    const result = run(call);
    if (thrown) throw thrown;
    return result;
  } finally {
    thrown = outer;
  }
}

/**
 * The wasm trapped, or an error passed it by: whatever is under way will never be settled by it. It starts anew with the
 * next call.
 *
 * @param {unknown} cause
 */
function crash(cause) {
  later(() => engine.reset());
  queue.length = 0;
  for (const id of running.keys()) abort(id);
  for (const [id, { lost }] of promises)
    take(id)?.reject(createError({ ...CRASHED, cause, ...lost }));
}

const CRASHED = {
  code: "crashed",
  message: "the client failed, and the calls under way are lost",
  hint: "this is a defect of the package; call connect again",
};

// --- promises ---

/**
 * @typedef {object} Settlers
 * @property {(value: any) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {object} [owner] is in use until then, so that what the engine keeps for it is
 * @property {object} [lost] further members of the error where the engine is lost
 * @property {() => void} unlimit ends its limits
 * @property {Limits} limits
 */

/** @type {Map<number, Settlers>} */
const promises = new Map();

/**
 * @typedef {object} Limits
 * @property {AbortSignal} [signal]
 * @property {number} [timeout] milliseconds
 * @property {number} [maxRetries]
 * @property {(retry: object) => unknown} [onRetry]
 */

/** @param {unknown} signal */
export const aborted = (signal) => ({
  code: /** @type {const} */ ("aborted"),
  message: "aborted by the caller's signal",
  cause: read(signal, "reason"),
});

const TIMED_OUT = {
  code: "timeout",
  message: "not done in time",
  hint: "the timeout of the call, or of connect, has passed; give it more time",
  retryable: true,
};

/**
 * A promise that the engine settles, or its limits.
 *
 * @param {(promise: number) => void} begin
 * @param {object | undefined} owner
 * @param {Limits} limits
 * @param {object} [lost]
 * @returns {Promise<any>}
 */
export const promised = (begin, owner, limits, lost) =>
  new Promise((resolve, rejectWith) => {
    const [id, call, { signal, timeout }] = [
      newId(),
      new Error("call"),
      limits,
    ];
    const reject = (/** @type {unknown} */ error) =>
      rejectWith(placed(error, call));
    const end = (/** @type {object} */ error) =>
      engine.limited(id, hold(error), error === TIMED_OUT);
    const onAbort = () => enter(() => end(aborted(signal)));
    const timer =
      timeout && setTimeout(() => enter(() => end(TIMED_OUT)), timeout);
    const unlimit = () => {
      clearTimeout(timer);
      attempt(() => signal?.removeEventListener("abort", onAbort));
    };
    promises.set(id, { resolve, reject, owner, lost, unlimit, limits });
    attempt(() => signal?.addEventListener("abort", onAbort));
    // A stand-in for a signal may fire as soon as it has a listener.
    if (promises.has(id)) enter(() => begin(id));
  });

/**
 * The error with the stack of the call that it ends: its own begins where a response came in.
 *
 * @param {any} error
 * @param {Error} call
 */
function placed(error, call) {
  attempt(() => {
    const [stack, hint] = [
      `${call.stack}`,
      error.hint ? `\n    hint: ${error.hint}` : "",
    ];
    // V8's begins with the error itself.
    error.stack = stack.replace(/^Error: call\n/, () => `${error}${hint}\n`);
  });
  return error;
}

/**
 * @param {number} promise
 * @returns {number} -1 for the default
 */
export const retries = (promise) =>
  promises.get(promise)?.limits.maxRetries ?? -1;

/**
 * @param {number} promise
 * @param {number} failures
 * @param {number} milliseconds
 * @param {Handle} members of the error
 */
export function notifyRetry(promise, failures, milliseconds, members) {
  const onRetry = promises.get(promise)?.limits.onRetry;
  if (!onRetry) return;
  const retry = {
    attempt: failures,
    milliseconds,
    error: createError(at(members)),
  };
  // It may call the client, and what it throws must not fail the call.
  queueMicrotask(() => attempt(onRetry, retry));
}

/** @param {number} id */
function take(id) {
  const settlers = promises.get(id);
  promises.delete(id);
  settlers?.unlimit();
  // What is read before it is uploaded.
  abort(id);
  return settlers;
}

/**
 * @param {number} promise
 * @param {Handle} value
 */
export const resolve = (promise, value) => take(promise)?.resolve(at(value));

/**
 * @param {number} promise
 * @param {number} id
 */
export const resolveHandle = (promise, id) => take(promise)?.resolve(id);

/**
 * Rejects a promise of which the engine knows nothing yet.
 *
 * @param {number} promise
 * @param {unknown} error
 */
export const fail = (promise, error) => take(promise)?.reject(error);

/**
 * @param {number} promise
 * @param {Handle} members
 */
export function reject(promise, members) {
  const error = createError(at(members));
  if (promise) take(promise)?.reject(error);
  else thrown = error;
}

/** Releases what the engine keeps for an object of the caller's that is gone. */
const registry = new FinalizationRegistry((/** @type {number} */ id) =>
  release(id),
);

/**
 * The engine keeps what has this id for as long as the object is in use.
 *
 * @param {object} object
 * @param {number} id
 */
export const keep = (object, id) => registry.register(object, id, object);

/** @param {number} id */
export const release = (id) => enter(() => engine.release(id));

// --- operations: each is under way under its id ---

/**
 * @typedef {object} Operation
 * @property {() => void} stop
 * @property {ReadableStreamDefaultReader} [reader] of an open stream of events
 * @property {(bytes: Uint8Array) => import("./events.js").ServerEvent[] | undefined} [events]
 */

/** @type {Map<number, Operation>} */
export const running = new Map();

/** @param {number} id */
export function abort(id) {
  const operation = running.get(id);
  running.delete(id);
  attempt(() => operation?.stop());
}

/**
 * @param {number} id
 * @param {() => void} stop
 */
export function begin(id, stop) {
  abort(id);
  /** @type {Operation} */
  const operation = { stop };
  running.set(id, operation);
  return operation;
}

/**
 * Reports what an operation ended with, unless it was aborted.
 *
 * @param {number} id
 * @param {Operation} operation
 * @param {() => void} report
 */
export function end(id, operation, report) {
  if (running.get(id) !== operation) return;
  running.delete(id);
  enter(report);
}

/**
 * @param {number} id
 * @param {number} milliseconds
 * @param {string} event
 */
export function sleep(id, milliseconds, event) {
  const target = event === "online" ? globalThis : globalThis.document;
  const fire = () => {
    operation.stop();
    end(id, operation, () => engine.fired(id));
  };
  const timer = setTimeout(() => fire(), milliseconds);
  const operation = begin(id, () => {
    clearTimeout(timer);
    if (event) target?.removeEventListener(event, fire);
  });
  if (event) target?.addEventListener(event, fire);
}

/**
 * @param {number} id
 * @param {() => unknown} work
 * @param {() => void} stop
 * @param {(hasThrown: boolean, value: any) => void} report
 */
function wait(id, work, stop, report) {
  const operation = begin(id, stop);
  const reporter =
    (/** @type {boolean} */ hasThrown) => (/** @type {unknown} */ value) =>
      end(id, operation, () => report(hasThrown, value));
  Promise.resolve().then(work).then(reporter(false), reporter(true));
}

/**
 * @param {number} id
 * @param {Handle} work
 */
export const invoke = (id, work) =>
  wait(
    id,
    at(work),
    () => {},
    (hasThrown, value) => engine.returned(id, hasThrown, hold(value)),
  );

/**
 * Makes a file of bytes, or of a stream, which is read to its end. It is aborted with the promise.
 *
 * @param {number} promise
 * @param {any} source
 * @param {string} name
 * @param {string} type
 * @param {(hasThrown: boolean, value: any) => void} report
 */
export function readSource(promise, source, name, type, report) {
  const controller = new AbortController();
  const { signal } = controller;
  // Aborting the signal cancels the stream's source, which releasing a reader does not.
  const part = async () =>
    source.getReader
      ? new Response(
          source.pipeThrough(new TransformStream(), { signal }),
        ).blob()
      : bytes(source);
  wait(
    promise,
    async () => new File([await part()], name, { type }),
    () => controller.abort(),
    report,
  );
}

/**
 * Throws for what only claims to be bytes, which a file would take as a string.
 *
 * @param {any} source
 * @returns {any}
 */
const bytes = (source) =>
  ArrayBuffer.isView(source) ? source : new DataView(source);
