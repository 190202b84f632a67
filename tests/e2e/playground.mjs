// The playground as a person uses it: one object for a page, with what one does on it.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

/** Milliseconds for any one step: clips are encoded on a machine that is busy with tests. */
const PATIENCE = 90_000;

export class Playground {
  /** Every request that the page sent: `{ method, path, headers }`. */
  requests = [];
  /** What the browser complained about: refused by the content security policy, thrown, not loaded. */
  complaints = [];

  constructor(page, url) {
    this.page = page;
    this.url = url;
    page.setDefaultTimeout(PATIENCE);
    page.on("request", (it) => this.requests.push({ method: it.method(), path: new URL(it.url()).pathname, headers: it.headers() }));
    page.on("pageerror", (it) => this.complaints.push(it.message));
    page.on("console", (it) => it.type() === "error" && this.complaints.push(it.text()));
  }

  /** Opens it at a capability, in a context of its own: nobody has been here before. */
  static async open(browser, url, capability, options = {}) {
    const context = await browser.newContext(options);
    const playground = new Playground(await context.newPage(), url);
    await playground.page.goto(`${url}/#${capability}`);
    await playground.connected();
    return playground;
  }

  close() {
    return this.page.context().close();
  }

  connected() {
    return this.page.locator(".connection[data-state=connected]").waitFor();
  }

  async go(capability) {
    await this.page.evaluate((it) => (location.hash = it), capability);
    await this.page.locator(`[id^="field-${capability}-"]`).first().waitFor({ state: "attached" });
  }

  field(name) {
    return this.page.locator(`[data-field="${name}"]`);
  }

  /** Types into a field, and looks for it behind "More options" where it is not to be seen. */
  async fill(name, text) {
    const input = this.field(name).locator("input[type=text], input[type=number], textarea").first();
    if (!(await input.isVisible())) await this.page.locator(".more > summary").click();
    await input.fill(text);
  }

  async choose(name, ...files) {
    await this.field(name).locator("input[type=file]").setInputFiles(files);
  }

  async run() {
    // By key: what a form shows of a file arrives later, and moves the button from under a pointer.
    await this.page.getByRole("button", { name: "Run", exact: true }).press("Enter");
  }

  /** The newest task. */
  get task() {
    return this.page.locator(".task").first();
  }

  /** What the newest task shows of its first result. */
  get result() {
    return this.task.locator(".result").first().locator("video, audio, canvas, img:not([slot=first])").first();
  }

  /** Waits until the newest task is in this state. */
  reaches(state) {
    return this.page.locator(`.task:first-child[data-state="${state}"]`).waitFor();
  }

  /** The addresses of the newest task's results. */
  results() {
    return this.task.locator("a.open").evaluateAll((links) => links.map((it) => it.href));
  }

  /** The code of the error that the form shows, once it shows one. */
  async failure() {
    const shown = this.page.locator(".form .failure");
    await shown.waitFor();
    return { code: await shown.getAttribute("data-code"), text: await shown.innerText() };
  }

  /** How often the page asked for this. */
  count(method, pattern) {
    return this.requests.filter((it) => it.method === method && pattern.test(it.path)).length;
  }
}

/** Waits until what is read is what it should be; a page draws a moment after it was told to. */
export async function becomes(read, expected) {
  const end = Date.now() + PATIENCE;
  for (let found; ; ) {
    found = await read();
    if (isDeepStrictEqual(found, expected)) return;
    if (Date.now() > end) assert.deepEqual(found, expected);
  }
}

/** A file as the browser's file picker gives it. */
export function file(name, mimeType, buffer) {
  return { name, mimeType, buffer };
}

/** The bytes behind an address. */
export async function download(url) {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return Buffer.from(await response.arrayBuffer());
}

/** Waits until a picture or a video is decoded, and gives its size. */
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
    return video ? [element.videoWidth, element.videoHeight] : [element.naturalWidth, element.naturalHeight];
  });
}
