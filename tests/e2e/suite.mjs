// The setup of every test file: one stack and one browser, stopped after the last test.
import { after, before } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { startStack } from "../support/stack.mjs";
import { Playground } from "./playground.mjs";

/**
 * Starts both before the tests of the file. `open` returns a page, which is closed after its test.
 */
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
      const playground = await Playground.open(
        started.browser,
        started.stack.url,
        capability,
        context,
      );
      test.after(() => playground.close());
      return playground;
    },
  };
}
