// A page object for the playground: the actions of a person, and the content of the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { readKept } from "../support/kept.mjs";
import { TIMEOUT_MS, within } from "../support/within.mjs";

/** Milliseconds between two reads while a test waits for a value. */
const POLL_MS = 20;
/** Milliseconds for a read of the state of a page, which may no longer respond. */
const STATE_MS = 5_000;
/** Matches the tile of the newest task, which is after that of the new pipeline. */
const NEWEST = ".task:is(:first-child, .new + .task)";
/** The number of requests in the report of a failed test. */
const REPORTED = 20;

/** Matches the polls and the streams of tasks. */
export const READS = /\/tasks\//;

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
    // Of the context, so that further pages and forwarded requests have it as well.
    page.context().setDefaultTimeout(TIMEOUT_MS);
    page.on("request", (request) =>
      this.requests.push({
        request,
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

  /** Opens an empty page, in a new browser context without stored data. */
  static async open(browser, url, options = {}) {
    // Reduces motion unless a test needs it: painting a moving bar takes a third of such a page's
    // computing time here.
    const context = await browser.newContext({
      reducedMotion: "reduce",
      ...options,
    });
    const playground = new Playground(await context.newPage(), url);
    if (SLOWNESS > 1) await slowDown(playground.page);
    return playground;
  }

  /** Shows a capability, connected. */
  async show(capability) {
    await this.page.goto(`${this.url}/#${capability}`);
    await this.ready();
  }

  /** Closes the page after a test. If the test fails, its report has the state of the page. */
  closeAfter(test) {
    test.after(async () => {
      if (test.error) test.diagnostic(await this.describe());
      await this.close();
    });
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
    await this.ready();
  }

  connected() {
    return this.page.locator(".connection[data-state=connected]").waitFor();
  }

  /** Waits until the page is connected, and lists the tasks that it has stored. */
  async ready() {
    await this.connected();
    await this.page
      .locator(".tasks :is(.task, .empty, .start)")
      .first()
      .waitFor();
  }

  /**
   * Waits until nothing moves the form any more, so that a pointer hits the place that a test aims
   * at.
   */
  async settled() {
    await this.page.locator("[data-worker=emulator]").waitFor();
    await this.page.evaluate(() => document.fonts.ready.then(() => undefined));
    await this.frames();
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
   * Waits for two frames. In the next one, the page runs its effects, such as those that listen for
   * dropped files.
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

  /** Waits until a form is shown, and its heading has the focus. */
  showsForm(heading) {
    return hasFocus(
      this.page.getByRole("heading", { level: 1, name: heading, exact: true }),
    );
  }

  /** The heading of the list of tasks. */
  get tasksHeading() {
    return this.page.locator("#tasks-heading");
  }

  /** The heading of the stage. The new pipeline has one of its own. */
  get stageHeading() {
    return this.page.locator("#stage-heading");
  }

  /** Returns the button in the heading of the task or pipeline with this title. */
  taskHeading(title) {
    return this.page
      .locator(".task h3")
      .getByRole("button", { name: title, exact: true });
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

  /** Types into a field; opens “Details” first if the field is not visible. */
  async fill(name, text) {
    const input = this.field(name)
      .locator("input[type=text], input[type=number], textarea")
      .first();
    if (!(await input.isVisible())) await this.showMore();
    await input.fill(text);
  }

  /** Opens “Details”, unless they are open. */
  async showMore() {
    const more = this.page.locator(".more");
    if ((await more.getAttribute("open")) !== null) return;
    await more.locator("> summary").press("Enter");
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
    await this.submit();
    await this.reaches(state);
  }

  /** Runs the form, and waits until its task is in the list. */
  async submit() {
    const tasks = this.page.locator(".task");
    const count = await tasks.count();
    await this.run();
    await tasks.nth(count).waitFor();
  }

  /** Puts the shown result, or that of another element, into a field by “Use in…”. */
  async useIn(target, from = this.stage) {
    await from.getByRole("button", { name: /^Use .* in…$/ }).press("Enter");
    const panel = from.locator(".use:popover-open");
    await panel.locator(":focus").waitFor();
    await panel
      .getByRole("button", { name: target, exact: true })
      .press("Enter");
    await this.showsForm(target);
  }

  /** Presses an action in the menu of the stage, or of another element. */
  async more(name, from = this.stage) {
    await from.getByRole("button", { name: /^More for / }).press("Enter");
    const panel = from.locator(".actions-panel:popover-open");
    // The menu moves the focus to its first action, which must not be after the next line.
    await panel.locator(":focus").waitFor();
    await panel.getByRole("button", { name }).press("Enter");
  }

  /** Presses an action in the menu of the form. */
  moreOfForm(name) {
    return this.more(name, this.page.locator(".actions"));
  }

  button(name, options = {}) {
    return this.page.getByRole("button", { name, ...options });
  }

  /**
   * Presses a button by key. What appears above it, such as a file's preview or a further task,
   * would move it from under a pointer.
   */
  press(name, within = this.page) {
    return within.getByRole("button", { name }).press("Enter");
  }

  /** Presses Escape, and waits until the dialog is closed. */
  async closeDialog() {
    await this.page.keyboard.press("Escape");
    await this.page.locator("dialog[open]").waitFor({ state: "detached" });
  }

  /** Dismisses every notice. */
  async dismissNotices() {
    const dismiss = () => {
      const notices = document.querySelectorAll(".notice");
      notices[0]
        ?.querySelector(/** @type {"button"} */ ("button:last-child"))
        ?.click();
      return notices.length;
    };
    await eventually(() => this.page.evaluate(dismiss), 0);
  }

  async run() {
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
    await this.submit();
    await this.created();
  }

  /** Waits until the gateway has the newest task. */
  created() {
    return this.page.locator(`${NEWEST}[data-task]`).waitFor();
  }

  /**
   * Holds the reads of tasks, so that a task runs on for the page, however slow the test is.
   * Returns the function that lets them pass.
   */
  async holdReads() {
    const held = [];
    await this.page.route(READS, (route) => {
      if (route.request().method() !== "GET") return route.fallback();
      held.push(route);
      return undefined;
    });
    return async () => {
      await this.page.unroute(READS);
      // The page may have given up the earlier ones.
      for (const route of held) await route.continue().catch(() => undefined);
    };
  }

  /** The tile of the newest task. The tile of the new pipeline is before it. */
  get task() {
    return this.page.locator(".task:not(.new)").first();
  }

  /** The stage, which shows the newest task unless a person has chosen another thing. */
  get stage() {
    return this.page.locator(".stage");
  }

  /** Puts a task or a pipeline on the stage. */
  async pick(title) {
    await this.taskHeading(title).press("Enter");
    await this.stage
      .getByRole("heading", { level: 2, name: title, exact: true })
      .waitFor();
  }

  /** The element that shows the large result on the stage, but not that of an example. */
  get result() {
    return this.page
      .locator(".stage:not([data-shows=example]) .result")
      .first()
      .locator("video, audio, canvas, img:not([slot=first])")
      .first();
  }

  /** Waits until the newest task is in this state. */
  reaches(state) {
    return this.page.locator(`${NEWEST}[data-state="${state}"]`).waitFor();
  }

  /** Returns the URLs of the results of the shown task, once it has some. */
  async results() {
    const link = this.stage.locator("a.open");
    await link.waitFor({ state: "attached" });
    const others = this.stage.locator(".outputs button");
    const urls = new Set([await link.getAttribute("href")]);
    for (const other of await others.all()) {
      await other.press("Enter");
      urls.add(await link.getAttribute("href"));
    }
    return [...urls];
  }

  /** Returns the code and the text of the error on the stage or elsewhere, once there is one. */
  async failure(from = this.stage) {
    const shown = from.locator(".failure");
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

  /**
   * Describes every page of the browser context for the report of a failed test, and the last
   * requests of this one.
   */
  async describe() {
    const describePage = (page) =>
      within(STATE_MS, "the page", page.evaluate(state)).catch(String);
    const words = ({ request, method, path }) =>
      `${method} ${path}${this.#open.has(request) ? " (open)" : ""}`;
    const report = {
      pages: await Promise.all(this.page.context().pages().map(describePage)),
      errors: this.pageErrors,
      requests: this.requests.slice(-REPORTED).map(words),
    };
    return JSON.stringify(report, undefined, 2);
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

/** Runs in a page: describes what it shows. */
function state() {
  const MAX_ELEMENTS = 20;
  const MAX_CHARACTERS = 300;
  const texts = (selector) =>
    [...document.querySelectorAll(selector)]
      .slice(0, MAX_ELEMENTS)
      .map((element) => element.innerText.replaceAll(/\s+/g, " "))
      .map((text) => text.slice(0, MAX_CHARACTERS));
  return {
    url: location.href,
    connection: texts(".connection"),
    heading: texts("h1"),
    focused: document.activeElement?.outerHTML.slice(0, MAX_CHARACTERS),
    dialogs: texts("dialog[open]"),
    problems: texts(".form :is(.issues, .remark, .failure, .tally)"),
    stage: texts(".stage"),
    actions: texts(".actions button"),
    notices: texts(".notice"),
    pipeline: texts(".draft"),
    tasks: texts(".task"),
  };
}

/**
 * Waits until `read` returns the expected value: the page updates asynchronously.
 *
 * @param {() => unknown} read
 * @param {unknown} expected
 */
export async function eventually(read, expected) {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const reading = Promise.resolve(read());
    const actual = await within(TIMEOUT_MS, `the read ${read}`, reading);
    if (isDeepStrictEqual(actual, expected)) return;
    if (Date.now() >= end) assert.deepEqual(actual, expected);
    // Without a pause, a `read` that waits for nothing would leave no time for the page.
    await sleep(POLL_MS);
  }
}

/**
 * Waits until the element has the focus. Several elements may have the same text, so the locator
 * must match only one.
 *
 * @param {import("playwright-core").Locator} locator
 */
export async function hasFocus(locator) {
  const focused = locator.and(locator.page().locator(":focus"));
  await focused.waitFor({ state: "attached" });
}

/** Returns a file for Playwright's `setInputFiles`. */
export function file(name, mimeType, buffer) {
  return { name, mimeType, buffer };
}

/** A viewport in which the capabilities have a column of their own. */
export const WIDE = { width: 1440, height: 900 };

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
  return within(TIMEOUT_MS, `the load of ${locator}`, readSize(locator));
}

function readSize(locator) {
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
