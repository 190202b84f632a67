// The setup of every test file: one stack and one browser, stopped after the last test.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { startStack } from "../support/stack.mjs";
import { Playground } from "./playground.mjs";

/**
 * The browser of the file's suites, as a promise: several suites start at once, and each would start
 * one.
 */
const shared = {};

/**
 * Starts both before the tests of the file. `open` returns a page, which is closed after its test.
 * If the test fails, its report has the state of the page.
 *
 * @param {import("../support/stack.mjs").Options} options
 */
export function suite(options = { flags: ["--task-seconds", "0.1"] }) {
  const started = {};
  before(async () => {
    started.stack = await startStack(options);
    shared.browser ??= startBrowser();
    await shared.browser;
  });
  after(async () => {
    try {
      await (await shared.browser)?.close();
    } finally {
      await started.stack?.stop();
    }
  });
  return {
    get stack() {
      return started.stack;
    },
    /** Changes the emulator's scene, and resolves to it. */
    async scene(changes = {}) {
      const response = await fetch(`${started.stack.admin}/scene`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(changes),
      });
      assert.ok(response.ok);
      return response.json();
    },
    async open(test, capability, context) {
      const playground = await Playground.open(
        await shared.browser,
        started.stack.url,
        context,
      );
      playground.closeAfter(test);
      await playground.show(capability);
      return playground;
    },
  };
}
