// The common setup of the test files: a stack, a browser, and the expected outcome of the probe.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { startBrowser } from "../../support/browser.mjs";
import { startStack } from "../../support/stack.mjs";
import { install, pack, remove } from "./install.mjs";
import { serve } from "./site.mjs";

/** The outcome of the fixtures' probe if everything works. */
const EXPECTED = { capabilities: 19, issues: ["prompt missing"], state: "SUCCEEDED", outputs: 1 };

/** Asserts that the package works in the project. */
export const assertWorks = (outcome) => assert.deepEqual(outcome, EXPECTED);

/** Starts what the tests need, and stops it after them. */
export function suite({ browser = true } = {}) {
  const cleanups = [];
  const started = {};
  before(async () => {
    cleanups.push(async () => remove((await pack()).folder));
    if (browser) {
      started.browser = await startBrowser();
      cleanups.push(() => started.browser.close());
    }
  });
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  return {
    /** A new project with the tarball, which is removed after its test. */
    async project(test, ...sources) {
      const folder = await install(sources.at(-1), ...sources);
      test.after(() => remove(folder));
      return folder;
    },
    /** The URL of a gateway that allows this origin, with an emulator behind it. */
    async gateway(test, origin = "http://127.0.0.1") {
      const stack = await startStack({ flags: ["--task-seconds", "0"], settings: { ALLOWED_ORIGINS: origin } });
      test.after(() => stack.stop());
      return stack.url;
    },
    /** Serves a folder and opens its page: the page's outcome, the page, its console's lines, and the paths that it requested. */
    async visit(test, folder, options) {
      const site = await serve(folder, options);
      test.after(() => site.stop());
      return { ...(await this.open(test, site.url, options)), seen: site.seen };
    },
    /** The same for a running site, without the paths. */
    async open(test, url, { path = "/", query = {} } = {}) {
      const gateway = await this.gateway(test, url);
      const context = await started.browser.newContext();
      test.after(() => context.close());
      const page = await context.newPage();
      const lines = [];
      page.on("console", (it) => lines.push(it.text()));
      page.on("pageerror", (it) => lines.push(String(it)));
      await page.goto(`${url}${path}?${new URLSearchParams({ ...query, gateway })}`);
      await page
        .waitForFunction(() => globalThis.outcome !== undefined, undefined, { timeout: 20_000 })
        .catch((error) => {
          throw new Error([error.message, ...lines].join("\n"));
        });
      return { outcome: await page.evaluate(() => globalThis.outcome), lines, page };
    },
  };
}
