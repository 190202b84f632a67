// What the files of tests have in common: a stack to call, a browser, and what is to be seen when all is well.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { startBrowser } from "../../support/browser.mjs";
import { startStack } from "../../support/stack.mjs";
import { install, pack, remove } from "./install.mjs";
import { serve } from "./site.mjs";

/** What the probe in the fixtures gives where everything works. */
const WELL = { capabilities: 19, issues: ["prompt missing"], state: "SUCCEEDED", outputs: 1 };

/** Asserts that the package did its work in the project. */
export const works = (outcome) => assert.deepEqual(outcome, WELL);

/** Starts what these tests need, and ends it after them. */
export function suite({ browser = true } = {}) {
  const ends = [];
  const started = {};
  before(async () => {
    ends.push(async () => remove((await pack()).folder));
    if (browser) {
      started.browser = await startBrowser();
      ends.push(() => started.browser.close());
    }
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  return {
    /** A project with the tarball, which is removed with its test. */
    async project(test, ...sources) {
      const folder = await install(sources.at(-1), ...sources);
      test.after(() => remove(folder));
      return folder;
    },
    /** A gateway that answers a page of this origin, with all that is behind it. */
    async gateway(test, origin = "http://127.0.0.1") {
      const stack = await startStack({ flags: ["--task-seconds", "0"], settings: { ALLOWED_ORIGINS: origin } });
      test.after(() => stack.stop());
      return stack.url;
    },
    /** What the page of a folder says in the end, the page, its console's lines, and the paths that it asked for. */
    async visit(test, folder, options) {
      const site = await serve(folder, options);
      test.after(() => site.stop());
      return { ...(await this.open(test, site.url, options)), seen: site.seen };
    },
    /** The same of a site that runs already. */
    async open(test, url, { path = "/", query = {} } = {}) {
      const gateway = await this.gateway(test, url);
      const context = await started.browser.newContext();
      test.after(() => context.close());
      const page = await context.newPage();
      const lines = [];
      page.on("console", (it) => lines.push(it.text()));
      page.on("pageerror", (it) => lines.push(String(it)));
      await page.goto(`${url}${path}?${new URLSearchParams({ ...query, gateway })}`);
      await page.waitForFunction(() => globalThis.outcome !== undefined, undefined, { timeout: 20_000 }).catch((error) => {
        throw new Error([error.message, ...lines].join("\n"));
      });
      return { outcome: await page.evaluate(() => globalThis.outcome), lines, page };
    },
  };
}
