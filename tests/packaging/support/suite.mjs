// The common setup of the test files: a stack, a browser, and the expected outcome of the probe.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { startEngine } from "../../support/engines/index.mjs";
import { startStack } from "../../support/stack.mjs";
import { install, pack, remove } from "./install.mjs";
import { startSite } from "./site.mjs";

/** The outcome of the fixtures' probe if everything works. */
const EXPECTED = {
  capabilities: catalogue.capabilities.length,
  issues: ["prompt missing"],
  state: "SUCCEEDED",
  outputs: 1,
};

/** Asserts that the package works in the project. */
export const assertWorks = (outcome) => assert.deepEqual(outcome, EXPECTED);

const stackFor = (origin, options) =>
  startStack({
    flags: ["--task-seconds", "0"],
    settings: { ALLOWED_ORIGINS: origin, INPUT_HOSTS: "127.0.0.1" },
    assets: false,
    ...options,
  });

/**
 * Starts all that the tests need, and stops it after them. `stack` has further options of the stack
 * behind `visit`.
 */
export function suite({ browser = true, stack = {} } = {}) {
  const cleanups = [];
  const started = {};
  before(async () => {
    cleanups.push(async () => remove((await pack()).folder));
    if (!browser) return;
    started.engine = await startEngine();
    cleanups.push(() => started.engine.close());
    started.site = await startSite(started.engine.head);
    cleanups.push(() => started.site.stop());
    started.stack = await stackFor(started.site.url, stack);
    cleanups.push(() => started.stack.stop());
  });
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  return {
    /** Returns the stack behind `visit`. */
    get stack() {
      return started.stack;
    },
    /** Makes a new project with the tarball, which is removed after its test. */
    async project(test, ...sources) {
      const folder = await install(sources.at(-1), ...sources);
      test.after(() => remove(folder));
      return folder;
    },
    /**
     * Starts a gateway that allows this origin, with an emulator behind it. Resolves to its URL.
     */
    async gateway(test, origin = "http://127.0.0.1") {
      const other = await stackFor(origin);
      test.after(() => other.stop());
      return other.url;
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
      const seen = started.site.serve({ folder, policy, types });
      return {
        ...(await this.openAt(
          test,
          started.site.url,
          started.stack.url,
          options,
        )),
        seen,
      };
    },
    /** Opens a page of a running site. Resolves to the result of `visit`, without the paths. */
    async open(test, url, options) {
      return this.openAt(test, url, await this.gateway(test, url), options);
    },
    async openAt(test, url, gateway, { path = "/", query = {} } = {}) {
      const page = await started.engine.open();
      test.after(() => page.close());
      const address = `${url}${path}?${new URLSearchParams({ ...query, gateway })}`;
      await page.goto(address);
      await page.waitFor(() => globalThis.outcome !== undefined);
      const outcome = await page.evaluate(() => globalThis.outcome);
      return { outcome, lines: await page.lines(), page, address };
    },
  };
}
