import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds in which anything that a test waits for happens, also on a busy machine. */
export const TIMEOUT_MS = 90_000;

/**
 * Settles as a promise does.
 *
 * @template Result
 * @param {number} milliseconds
 * @param {string} what the promise's work, for the error
 * @param {Promise<Result>} promise
 * @returns {Promise<Result>}
 * @throws {Error} if the promise has not settled after this time
 */
export async function within(milliseconds, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    const end = () =>
      reject(new Error(`${what} did not end within ${milliseconds} ms`));
    timer = setTimeout(end, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls a function until its result is truthy, and resolves to that.
 *
 * @template Result
 * @param {() => Result | Promise<Result>} check
 * @param {string} what the result, for the error
 * @returns {Promise<Result>}
 * @throws {Error} if that takes too long
 */
export async function until(check, what) {
  for (const end = Date.now() + TIMEOUT_MS; ; await sleep(50)) {
    const result = await check();
    if (result) return result;
    if (Date.now() > end) throw new Error(`it did not happen: ${what}`);
  }
}
