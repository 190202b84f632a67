// A page in any engine: the operations of the tests, on top of the few that each driver has.
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds that a page has to reach a state that a test waits for, also on a busy machine. */
const TIMEOUT_MS = 90_000;
const POLL_INTERVAL_MS = 100;

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

  goto = (url) => this.#driver.goto(url);
  reload = () => this.#driver.reload();
  evaluate = (work, argument) => this.#driver.evaluate(work, argument);
  lines = () => this.#driver.lines();
  click = (selector) => this.#driver.click(selector);
  type = (selector, text) => this.#driver.type(selector, text);
  press = (selector, key) => this.#driver.press(selector, key);
  choose = (selector, ...paths) => this.#driver.choose(selector, paths);
  drag = (from, to) => this.#driver.drag(from, to);
  close = () => this.#driver.close();

  async openTab(url) {
    return new Page(await this.#driver.openTab(url));
  }

  /**
   * Waits until a function returns something truthy in the page, and returns that.
   *
   * @param {Function} work
   * @param {unknown} [argument]
   * @throws if it does not until the timeout; the message has the function, what the page printed,
   *   and what it shows
   */
  async waitFor(work, argument) {
    const end = Date.now() + TIMEOUT_MS;
    for (;;) {
      const { result, error } = await this.#attempt(work, argument);
      if (result) return result;
      if (Date.now() > end) {
        const shown = await this.#attempt(() =>
          document.body.innerText.slice(0, 2000),
        );
        const state = [
          `${work} ${JSON.stringify(argument) ?? ""}`,
          ...(await this.lines()),
          shown.result,
        ].join("\n");
        throw new Error(`the page has not become as expected: ${state}`, {
          cause: error,
        });
      }
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /**
   * Tries the function once. A page that is being loaded can't evaluate anything, which counts as
   * not yet.
   */
  async #attempt(work, argument) {
    try {
      return { result: await this.evaluate(work, argument) };
    } catch (error) {
      return { error };
    }
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
}
