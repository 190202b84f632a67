// The common setup of the test files: a stack, a browser, and the expected outcome of the probe.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { startEngine } from "../../support/engines/index.mjs";
import { startStack } from "../../support/stack.mjs";
import { install, remove } from "./install.mjs";
import { startSite } from "./site.mjs";

/** The outcome of the fixtures' probe if everything works. */
const EXPECTED = {
  capabilities: catalogue.capabilities.length,
  issues: ["prompt missing"],
  state: "SUCCEEDED",
  outputs: 1,
};

export const assertWorks = (outcome) => assert.deepEqual(outcome, EXPECTED);

/** The engine, which all suites of a process share. */
let engine;
after(async () => (await engine)?.close());

/**
 * Starts all that the tests need, and stops it after them. `stack` has further options of the
 * stack. With `storage`, each test has a page with a storage of its own.
 */
export function suite({ browser = true, storage = false, stack = {} } = {}) {
  const cleanups = [];
  const started = {};
  /** Starts the emulator and the gateway at their first use, for pages of any port. */
  const startOnce = async () => {
    if (started.stack) return;
    started.stack = await startStack({
      flags: ["--task-seconds", "0"],
      settings: {
        ALLOWED_ORIGINS: "http://127.0.0.1:*,http://localhost:*",
        INPUT_HOSTS: "127.0.0.1",
      },
      assets: false,
      ...stack,
    });
    cleanups.push(() => started.stack.stop());
  };
  before(async () => {
    if (!browser) return;
    engine ??= startEngine();
    started.engine = await engine;
    if (!storage) started.page = await started.engine.open();
    started.site = await startSite(started.engine.head);
    cleanups.push(() => started.site.stop());
    await startOnce();
  });
  after(async () => {
    // Each one, also after one that fails.
    const ends = cleanups.reverse().map((cleanup) => cleanup());
    await Promise.all(ends);
  });

  /** Returns the page of all tests, which is empty then, or one with a storage of its own. */
  const pageFor = async (test) => {
    if (started.page) {
      // The requests and the output of the previous test's page do not count.
      await started.page.goto("about:blank");
      return started.page;
    }
    const page = await started.engine.open();
    test.after(() => page.close());
    return page;
  };

  return {
    get stack() {
      return started.stack;
    },
    /** Makes a new project with the tarball, which is removed after its test. */
    async project(test, ...sources) {
      const folder = await install(sources.at(-1), ...sources);
      test.after(() => remove(folder));
      return folder;
    },
    async gateway() {
      await startOnce();
      return started.stack.url;
    },
    /**
     * Serves a folder and opens its page. Resolves to the page's outcome, the page, its output, and
     * the requested paths.
     *
     * @param {import("node:test").TestContext} test
     * @param {string} folder
     * @param {{ policy?: string, types?: Record<string, string>, [option: string]: unknown }}
     *   [options]
     */
    async visit(test, folder, { policy, types, ...options } = {}) {
      const page = await pageFor(test);
      const seen = started.site.serve({ folder, policy, types });
      const opened = await outcomeOf(page, started.site.url, options);
      return { ...opened, seen };
    },
    /** Opens a page of a running site. Resolves to the result of `visit`, without the paths. */
    open: async (test, url) => outcomeOf(await pageFor(test), url),
  };

  async function outcomeOf(page, url, { path = "/", query = {} } = {}) {
    const address = `${url}${path}?${new URLSearchParams({ ...query, gateway: started.stack.url })}`;
    await page.goto(address);
    await page.waitFor(() => globalThis.outcome !== undefined);
    const outcome = await page.evaluate(() => globalThis.outcome);
    return { outcome, lines: await page.lines(), page, address };
  }
}
