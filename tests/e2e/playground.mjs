// A page object for the playground: the actions of a person, and the content of the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { readKept } from "../support/kept.mjs";

/** Milliseconds for any single step. Videos are encoded while tests keep the machine busy. */
const TIMEOUT_MS = 90_000;
/** Milliseconds between two reads while a test waits for a value. */
const POLL_MS = 20;

/** Matches the requests for the client's module, and for the copy that is loaded if that fails. */
export const WASM = /\.wasm$|\/inline-/;

/**
 * The factor by which a page computes slower than this machine. With 5, for example, tests that are
 * faster than a page fail.
 */
const SLOWNESS = Number(process.env.MEDIAGATE_SLOW_PAGE ?? 1);

export class Playground {
  /** All requests that the page has sent. */
  requests = [];
  /** The requests whose response has not ended. */
  #open = new Set();
  /** Errors of the page: violations of the content security policy, exceptions, failed loads. */
  pageErrors = [];

  constructor(page, url) {
    this.page = page;
    this.url = url;
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on("request", (request) =>
      this.requests.push({
        method: request.method(),
        path: new URL(request.url()).pathname,
        headers: request.headers(),
      }),
    );
    page.on("request", (request) => this.#open.add(request));
    for (const end of ["requestfinished", "requestfailed"])
      page.on(end, (request) => this.#open.delete(request));
    page.on("pageerror", (error) => this.pageErrors.push(error.message));
    page.on(
      "console",
      (message) =>
        message.type() === "error" && this.pageErrors.push(message.text()),
    );
  }

  /** Opens the page at a capability, in a new browser context without stored data. */
  static async open(browser, url, capability, options = {}) {
    // Reduces motion unless a test needs it: painting a moving bar takes a third of such a page's
    // computing time here.
    const context = await browser.newContext({
      reducedMotion: "reduce",
      ...options,
    });
    const playground = new Playground(await context.newPage(), url);
    if (SLOWNESS > 1) await slowDown(playground.page);
    await playground.page.goto(`${url}/#${capability}`);
    await playground.connected();
    return playground;
  }

  async close() {
    // A request that a route still forwards would fail the whole file once its page is gone.
    const context = this.page.context();
    for (const target of [context, ...context.pages()])
      await target.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }

  async reload() {
    await this.page.reload();
    await this.connected();
  }

  connected() {
    return this.page.locator(".connection[data-state=connected]").waitFor();
  }

  async go(capability) {
    await this.page.evaluate(
      (capability) => (location.hash = capability),
      capability,
    );
    await this.page
      .locator(`[id^="field-${capability}-"]`)
      .first()
      .waitFor({ state: "attached" });
    await this.frames();
  }

  /**
   * Waits for two frames. In the next one, the page runs its effects, and moves the focus away from
   * the element that a test would press a key on.
   */
  frames() {
    return this.page.evaluate(
      () =>
        new Promise((done) => {
          requestAnimationFrame(() =>
            requestAnimationFrame(() => setTimeout(done)),
          );
        }),
    );
  }

  /**
   * Waits until a form is shown and its heading has the focus, which the page moves there in a
   * later frame.
   */
  async showsForm(heading) {
    const focused = () =>
      document.activeElement?.id === "form-heading" &&
      document.activeElement.textContent;
    await eventually(() => this.page.evaluate(focused), heading);
    // The focus moves again when the address has changed.
    await this.frames();
  }

  field(name) {
    return this.page.locator(`[data-field="${name}"]`);
  }

  /** Resolves to the values that the page has stored for its forms. */
  kept() {
    return this.page.evaluate(readKept);
  }

  /**
   * Waits until the entered values are stored: IndexedDB runs the transactions of a store in order.
   */
  async written() {
    await this.kept();
  }

  /** Acts as if a person comes back to the tab. */
  comeBack() {
    return this.page.evaluate(() => {
      for (const hidden of [true, false]) {
        Object.defineProperty(document, "hidden", {
          configurable: true,
          value: hidden,
        });
        document.dispatchEvent(new Event("visibilitychange"));
      }
    });
  }

  /** Acts as if a person comes back, and waits until a further read of the history has ended. */
  async readsHistory() {
    // The reads follow one another: when the second begins, the first has ended.
    const wanted = this.historyReads + 2;
    await eventually(async () => {
      if (this.historyReads < wanted) await this.comeBack();
      return this.historyReads >= wanted;
    }, true);
  }

  /** The number of times that the page has requested the history's newest page. */
  get historyReads() {
    return this.count("GET", /\/api\/app\/v1\/tasks$/);
  }

  /** Types into a field; opens "More options" first if the field is not visible. */
  async fill(name, text) {
    const input = this.field(name)
      .locator("input[type=text], input[type=number], textarea")
      .first();
    if (!(await input.isVisible())) await this.showMore();
    await input.fill(text);
  }

  /**
   * Opens "More options" by key. An element that appears above it would move it from under a
   * pointer.
   */
  async showMore() {
    await this.page.locator(".more > summary").press("Enter");
    await this.page.locator(".more[open]").waitFor();
  }

  /** Waits until a field has the files and results with these names. */
  has(name, ...files) {
    const names = this.field(name).locator(".files .name");
    return eventually(() => names.allInnerTexts(), files);
  }

  async choose(name, ...files) {
    await this.field(name).locator("input[type=file]").setInputFiles(files);
  }

  /**
   * Fills in the form. A string or a number is typed, and a file or an array of files is chosen.
   *
   * @param {Record<string, unknown>} values by the names of fields
   */
  async fillIn(values) {
    for (const [name, value] of Object.entries(values))
      if (typeof value === "object") await this.choose(name, ...[value].flat());
      else await this.fill(name, String(value));
  }

  /** Fills in and runs the form, and waits until its task is in this state. */
  async make(values, state = "SUCCEEDED") {
    await this.fillIn(values);
    await this.finish(state);
  }

  /** Runs the form, and waits until its task is in this state. */
  async finish(state = "SUCCEEDED") {
    const tasks = this.page.locator(".task");
    const count = await tasks.count();
    await this.run();
    await tasks.nth(count).waitFor();
    await this.reaches(state);
  }

  /** Puts the newest task's result, or that of another element, into a field by “Use in…”. */
  async useIn(target, from = this.task) {
    await from.getByText("Use in…").press("Enter");
    await from
      .locator(".use")
      .getByRole("button", { name: target, exact: true })
      .press("Enter");
    await this.page
      .locator(".notice", { hasText: "into the form" })
      .last()
      .waitFor();
    await this.showsForm(target);
  }

  button(name, options = {}) {
    return this.page.getByRole("button", { name, ...options });
  }

  click(name, within = this.page) {
    return within.getByRole("button", { name }).click();
  }

  press(name, within = this.page) {
    return within.getByRole("button", { name }).press("Enter");
  }

  async run() {
    // Pressed by key: a file's preview appears later and would move the button from under a
    // pointer.
    await this.button("Run", { exact: true }).press("Enter");
  }

  /**
   * Creates a task from text that ends after this many seconds, and waits until the gateway has it.
   */
  async createTask(seconds) {
    await this.fillIn({
      ...BOAT,
      title: `emulate: seconds=${seconds}`,
    });
    await this.run();
    await this.page.locator(".task[data-task]").first().waitFor();
  }

  /** The newest task. */
  get task() {
    return this.page.locator(".task").first();
  }

  /** The element that shows the first result of the newest task. */
  get result() {
    return this.task
      .locator(".result")
      .first()
      .locator("video, audio, canvas, img:not([slot=first])")
      .first();
  }

  /** Waits until the newest task is in this state. */
  reaches(state) {
    return this.page
      .locator(`.task:first-child[data-state="${state}"]`)
      .waitFor();
  }

  /** Returns the URLs of the newest task's results. */
  results() {
    return this.task
      .locator("a.open")
      .evaluateAll((links) => links.map((link) => link.href));
  }

  /** Returns the code and the text of the form's error, once there is one. */
  async failure() {
    const shown = this.page.locator(".form .failure");
    await shown.waitFor();
    return {
      code: await shown.getAttribute("data-code"),
      text: await shown.innerText(),
    };
  }

  /** Returns the number of requests with this method and a matching path. */
  count(method, pattern) {
    return this.requests.filter(
      (request) => request.method === method && pattern.test(request.path),
    ).length;
  }

  /** Returns the number of open event streams. */
  streams() {
    return [...this.#open].filter((request) =>
      /\/events$/.test(new URL(request.url()).pathname),
    ).length;
  }
}

async function slowDown(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWNESS });
}

/** Waits until `read` returns the expected value: the page updates asynchronously. */
export async function eventually(read, expected) {
  const end = Date.now() + TIMEOUT_MS;
  for (let actual; ; ) {
    actual = await read();
    if (isDeepStrictEqual(actual, expected)) return;
    if (Date.now() > end) assert.deepEqual(actual, expected);
    // Without a pause, a `read` that waits for nothing would leave no time for the page.
    await sleep(POLL_MS);
  }
}

/** Returns the name of the element with the focus, or else its text. */
export function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    return (
      element.ariaLabel ??
      element.getAttribute("name") ??
      element.textContent.trim()
    );
  });
}

/** Waits until the element with this name or text has the focus. */
export function hasFocus(page, name) {
  return eventually(() => focused(page), name);
}

/** Returns a file for Playwright's `setInputFiles`. */
export function file(name, mimeType, buffer) {
  return { name, mimeType, buffer };
}

/** The input of a small picture. */
export const BOAT = { prompt: "a paper boat", width: 64, height: 48 };

/** Returns a picture of noise. */
export function png(width, height, name = "a.png") {
  return file(name, "image/png", picture(width, height));
}

/** Returns a PDF with a page of each width. */
export async function pdfFile(widths, name = "a.pdf") {
  return file(name, "application/pdf", await pdf(widths));
}

/** A video of six seconds, with 480 by 270 pixels. */
export const VIDEO = file(
  "street.mp4",
  "video/mp4",
  readFileSync(new URL("../../www/src/examples/street.mp4", import.meta.url)),
);

/** Returns a second of a sine. */
export function sound(amplitude, name = "a.wav") {
  return file(name, "audio/wav", wav(tone(amplitude)));
}

/** Downloads the bytes at a URL. */
export async function download(url) {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return Buffer.from(await response.arrayBuffer());
}

/** Waits until a picture or a video is decoded, and returns its size. */
export function shownSize(locator) {
  return locator.evaluate(async (element) => {
    const video = element instanceof HTMLVideoElement;
    if (!video) await element.decode();
    if (video && element.readyState < HTMLMediaElement.HAVE_METADATA) {
      await new Promise((ready, fail) => {
        element.onloadedmetadata = ready;
        element.onerror = () => fail(new Error(element.error?.message));
      });
    }
    return video
      ? [element.videoWidth, element.videoHeight]
      : [element.naturalWidth, element.naturalHeight];
  });
}
