// A page in any engine: the operations of the tests, on top of the few that each driver has. Each
// operation ends within its own limit, and its error has the state of the page.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { TIMEOUT_MS, within } from "../within.mjs";

const POLL_INTERVAL_MS = 100;
/** Milliseconds for an operation. A driver's own timeout is shorter, since its error says more. */
const OPERATION_MS = TIMEOUT_MS + 10_000;
/** Milliseconds for one read of a page's state, as the page may no longer respond. */
const STATE_MS = 5_000;

/**
 * The operations of an engine's driver on one page. A selector finds one element, and an operation
 * waits until it exists.
 *
 * @typedef {object} Driver
 * @property {(url: string) => Promise<unknown>} goto loads a URL
 * @property {() => Promise<unknown>} reload
 * @property {(work: Function, argument?: unknown) => Promise<any>} evaluate runs a function in the
 *   page, awaits its promise, and returns its result, which JSON can express
 * @property {() => Promise<string[]>} lines returns what was printed and thrown since `goto`
 * @property {(selector: string) => Promise<unknown>} click
 * @property {(selector: string, text: string) => Promise<unknown>} type replaces the text of a
 *   control
 * @property {(selector: string, key: string) => Promise<unknown>} press presses one key, by its
 *   name in `KeyboardEvent.key`
 * @property {(selector: string, paths: string[]) => Promise<unknown>} choose chooses files for an
 *   input
 * @property {(from: Point, to: Point) => Promise<unknown>} drag drags with the mouse, in CSS pixels
 *   of the viewport
 * @property {(url: string) => Promise<Driver>} openTab opens another page that shares the storage
 *   of this one
 * @property {() => Promise<unknown>} close
 * @typedef {{ x: number, y: number }} Point
 */

/** A page of an engine. */
export class Page {
  #driver;
  /**
   * Playwright's own page in Chromium, for the tests that only run there.
   *
   * @type {import("playwright-core").Page | undefined}
   */
  playwright;

  /** @param {Driver} driver */
  constructor(driver) {
    this.#driver = driver;
  }

  goto = (url) => this.#call("goto", url);
  reload = () => this.#call("reload");
  /**
   * @param {Function} work
   * @param {unknown} [argument]
   */
  evaluate = (work, argument) => this.#call("evaluate", work, argument);
  lines = () => this.#call("lines");
  click = (selector) => this.#call("click", selector);
  type = (selector, text) => this.#call("type", selector, text);
  press = (selector, key) => this.#call("press", selector, key);
  choose = (selector, ...paths) => this.#call("choose", selector, paths);
  drag = (from, to) => this.#call("drag", from, to);
  close = () => this.#call("close");

  async openTab(url) {
    return new Page(await this.#call("openTab", url));
  }

  /**
   * Waits until a function returns something truthy in the page, and returns that.
   *
   * @param {Function} work
   * @param {unknown} [argument]
   */
  waitFor(work, argument) {
    return this.#poll(work, argument, Boolean, "something truthy");
  }

  /**
   * Waits until a function returns the expected value in the page.
   *
   * @param {Function} work
   * @param {unknown} expected
   */
  async returns(work, expected) {
    const isExpected = (result) => isDeepStrictEqual(result, expected);
    await this.#poll(work, undefined, isExpected, JSON.stringify(expected));
  }

  /** Waits until an element matches the selector. */
  find(selector) {
    return this.waitFor(
      (selector) => document.querySelector(selector) !== null,
      selector,
    );
  }

  /** Waits until an element has exactly this text, apart from white space. */
  shows(selector, text) {
    return this.waitFor(
      ([selector, text]) =>
        document.querySelector(selector)?.textContent.trim() === text,
      [selector, text],
    );
  }

  /**
   * Waits for an event outside of the page that its work causes, such as a request.
   *
   * @template Result
   * @param {string} what
   * @param {Promise<Result>} event
   */
  async causes(what, event) {
    try {
      return await within(TIMEOUT_MS, what, event);
    } catch (error) {
      throw await this.#failure(error);
    }
  }

  /**
   * Calls an operation of the driver.
   *
   * @param {keyof Driver} name
   * @param {...any} values
   * @returns {Promise<any>}
   */
  async #call(name, ...values) {
    const operation = /** @type {(...values: any[]) => Promise<any>} */ (
      this.#driver[name]
    );
    try {
      return await within(OPERATION_MS, name, operation(...values));
    } catch (error) {
      throw await this.#failure(error, described(name, ...values));
    }
  }

  /** Calls a function in the page until its result is as expected. */
  async #poll(work, argument, isExpected, expected) {
    const end = Date.now() + TIMEOUT_MS;
    for (;;) {
      // The last attempt also has some time, since its result is part of the error.
      const left = Math.max(STATE_MS, end - Date.now());
      const { result, error } = await this.#attempt(left, work, argument);
      if (!error && isExpected(result)) return result;
      if (Date.now() >= end)
        throw await this.#failure(
          error ??
            new Error(`it returns ${JSON.stringify(result)}, not ${expected}`),
          described(work, argument),
        );
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /**
   * Calls a function in the page once. A page that is being loaded can't evaluate anything, which
   * counts as not yet.
   */
  async #attempt(milliseconds, work, argument) {
    try {
      const evaluated = this.#driver.evaluate(work, argument);
      return { result: await within(milliseconds, "evaluate", evaluated) };
    } catch (error) {
      return { error };
    }
  }

  /** Returns the error of a work that failed, with what the page shows and has printed. */
  async #failure(cause, ...work) {
    const { result, error } = await this.#attempt(STATE_MS, () => ({
      url: location.href,
      text: document.body?.innerText.slice(0, 2000),
    }));
    const lines = await within(STATE_MS, "lines", this.#driver.lines()).catch(
      () => [],
    );
    const state = result
      ? [`at ${result.url}:`, ...lines, result.text]
      : [`The page does not respond: ${error}`, ...lines];
    return new Error([cause.message, ...work, ...state].join("\n"), { cause });
  }
}

/** Returns an operation and its arguments as text for an error. */
const described = (operation, ...values) =>
  [operation, ...values]
    .map((value) =>
      typeof value === "object" ? JSON.stringify(value) : String(value ?? ""),
    )
    .join(" ");
