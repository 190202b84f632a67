// What the platform has beside the network: a clock, chance, storage. Declared in driver.rs; none of these throws.

import { at, attempt, hold, parseJson, sizeOf } from "./values.js";

/** @typedef {import("./values.js").Handle} Handle */

/** 32 random hexadecimal digits; `undefined` where the platform has no secure random numbers. */
export const randomKey = () =>
  attempt(() => {
    // An insecure context, such as plain http, has `getRandomValues` but no `randomUUID`.
    const bytes = () =>
      Array.from(crypto.getRandomValues(new Uint8Array(16)), (it) =>
        it.toString(16).padStart(2, "0"),
      );
    return crypto.randomUUID?.().replaceAll("-", "") ?? bytes().join("");
  });

export const now = () => Date.now();
export const random = () => Math.random();

export const isHidden = () => !!globalThis.document?.hidden;

export const isOffline = () => globalThis.navigator?.onLine === false;

/** @param {Handle} base */
export const isMultiplexed = (base) =>
  !!attempt(() =>
    performance
      .getEntriesByType("resource")
      .some(
        (it) =>
          it.name.startsWith(at(base)) &&
          /^h[23]$/.test(
            /** @type {PerformanceResourceTiming} */ (it).nextHopProtocol,
          ),
      ),
  );

/** @param {Handle} name */
export const stored = (name) =>
  hold(attempt(() => parseJson(localStorage.getItem(at(name)))));

/**
 * @param {Handle} name
 * @param {Handle} value
 */
export const store = (name, value) =>
  attempt(() => localStorage.setItem(at(name), JSON.stringify(at(value))));

/**
 * The ids that files have, by gateway.
 *
 * @type {WeakMap<object, Record<number, unknown>>}
 */
const fileIds = new WeakMap();

/**
 * @param {number} gateway
 * @param {Handle} file
 */
export const fileId = (gateway, file) => hold(fileIds.get(at(file))?.[gateway]);

/**
 * @param {number} gateway
 * @param {Handle} file
 * @param {Handle} id
 */
export const rememberFile = (gateway, file, id) =>
  fileIds.set(at(file), { ...fileIds.get(at(file)), [gateway]: at(id) });

/**
 * A subscriber that throws must not fail the upload. It runs after the engine, as it may call the client.
 *
 * @param {Handle} progress
 * @param {Handle} file
 */
export function notifyDone(progress, file) {
  const [notify, size] = [at(progress), sizeOf(at(file))];
  queueMicrotask(() => attempt(notify, { loaded: size, total: size }));
}
