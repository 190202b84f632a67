// A page object for the playground: the actions of a person, and what the page shows.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

/** Milliseconds for any single step: videos are encoded while tests keep the machine busy. */
const TIMEOUT_MS = 90_000;
/** Milliseconds between two reads of what is to become true. */
const POLL_MS = 20;

/** The requests for the client's module, and for the copy that is loaded in its place where that fails. */
export const WASM = /\.wasm$|\/inline-/;

/** How many times slower than this machine a page computes: with 5, say, tests show that are faster than a page. */
const SLOWNESS = Number(process.env.MEDIAGATE_SLOW_PAGE ?? 1);

export class Playground {
  /** Every request that the page sent: `{ method, path, headers }`. */
  requests = [];
  /** Those whose response has not ended. */
  #open = new Set();
  /** Errors of the page: violations of the content security policy, exceptions, failed loads. */
  pageErrors = [];

  constructor(page, url) {
    this.page = page;
    this.url = url;
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on("request", (it) =>
      this.requests.push({
        method: it.method(),
        path: new URL(it.url()).pathname,
        headers: it.headers(),
      }),
    );
    page.on("request", (it) => this.#open.add(it));
    for (const end of ["requestfinished", "requestfailed"])
      page.on(end, (it) => this.#open.delete(it));
    page.on("pageerror", (it) => this.pageErrors.push(it.message));
    page.on(
      "console",
      (it) => it.type() === "error" && this.pageErrors.push(it.text()),
    );
  }

  /** Opens it at a capability, in a new browser context without stored data. */
  static async open(browser, url, capability, options = {}) {
    // As for a person who wants no motion, but where a test wants it: painting a moving bar takes a third of what such a page
    // computes here.
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
    // What a route still forwards would fail the whole file once its page is gone.
    const context = this.page.context();
    for (const it of [context, ...context.pages()])
      await it.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }

  connected() {
    return this.page.locator(".connection[data-state=connected]").waitFor();
  }

  async go(capability) {
    await this.page.evaluate((it) => (location.hash = it), capability);
    await this.page
      .locator(`[id^="field-${capability}-"]`)
      .first()
      .waitFor({ state: "attached" });
    await this.frames();
  }

  /** Two frames: in the next one the page moves the focus, away from what a test presses a key on, and runs its effects. */
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

  /** Waits until a form is shown, and its heading has the focus, which the page moves there in a later frame. */
  async showsForm(heading) {
    const focused = () =>
      document.activeElement?.id === "form-heading" &&
      document.activeElement.textContent;
    await eventually(() => this.page.evaluate(focused), heading);
    // Once more, when the address has changed.
    await this.frames();
  }

  field(name) {
    return this.page.locator(`[data-field="${name}"]`);
  }

  /** Waits until what was entered is stored: IndexedDB runs the transactions of a store in order. */
  written() {
    return this.page.evaluate(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open("mediagate.playground");
          opening.onsuccess = () => {
            const reading = opening.result
              .transaction("kept")
              .objectStore("kept")
              .count();
            reading.onsuccess = () => {
              opening.result.close();
              resolve(undefined);
            };
          };
        }),
    );
  }

  /** As when a person comes back to the tab. */
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

  /** As when a person comes back, until a further read of the history has ended. */
  async readsHistory() {
    // One follows the other: when the second begins, the first has ended.
    const wanted = this.historyReads + 2;
    await eventually(async () => {
      if (this.historyReads < wanted) await this.comeBack();
      return this.historyReads >= wanted;
    }, true);
  }

  /** How many times the page has requested the history's newest page. */
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

  /** Opens "More options". By key: what appears above it meanwhile would move it from under a pointer. */
  async showMore() {
    await this.page.locator(".more > summary").press("Enter");
    await this.page.locator(".more[open]").waitFor();
  }

  async choose(name, ...files) {
    await this.field(name).locator("input[type=file]").setInputFiles(files);
  }

  async run() {
    // By key: a file's preview appears later and would move the button from under a pointer.
    await this.page
      .getByRole("button", { name: "Run", exact: true })
      .press("Enter");
  }

  /** Creates a task from text that ends after as many seconds, and waits until the gateway has it. */
  async createTask(seconds) {
    await this.fill("prompt", "a paper boat");
    await this.fill("title", `emulate: seconds=${seconds}`);
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

  /** The URLs of the newest task's results. */
  results() {
    return this.task
      .locator("a.open")
      .evaluateAll((links) => links.map((it) => it.href));
  }

  /** The code and the text of the form's error, once there is one. */
  async failure() {
    const shown = this.page.locator(".form .failure");
    await shown.waitFor();
    return {
      code: await shown.getAttribute("data-code"),
      text: await shown.innerText(),
    };
  }

  /** The number of requests with this method and a matching path. */
  count(method, pattern) {
    return this.requests.filter(
      (it) => it.method === method && pattern.test(it.path),
    ).length;
  }

  /** The number of event streams that are open. */
  streams() {
    return [...this.#open].filter((it) =>
      /\/events$/.test(new URL(it.url()).pathname),
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
    // Without a pause, a `read` that waits for nothing would leave no time for what it waits for.
    await sleep(POLL_MS);
  }
}

/** A file for Playwright's `setInputFiles`. */
export function file(name, mimeType, buffer) {
  return { name, mimeType, buffer };
}

/** The bytes at a URL. */
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
