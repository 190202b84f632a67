// What every file of tests begins with: one stack and one browser, ended after the last test.
import { after, before } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { startStack } from "../support/stack.mjs";
import { Playground } from "./playground.mjs";

/** Starts them before the tests of this file; `open` gives a page that is closed with its test. */
export function suite(options = { flags: ["--task-seconds", "0.1"] }) {
  const started = {};
  before(async () => {
    started.stack = await startStack(options);
    started.browser = await startBrowser();
  });
  after(async () => {
    await started.browser?.close();
    await started.stack?.stop();
  });
  return {
    get stack() {
      return started.stack;
    },
    async open(test, capability, context) {
      const playground = await Playground.open(started.browser, started.stack.url, capability, context);
      test.after(() => playground.close());
      return playground;
    },
  };
}
