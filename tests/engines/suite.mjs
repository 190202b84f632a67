// The setup of the playground's tests: a stack, an engine, and common operations on its pages.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { startEngine } from "../support/engines/index.mjs";
import { folder } from "../support/folder.mjs";
import { logged } from "../support/gateway.mjs";
import { startStack } from "../support/stack.mjs";

export const RUN = ".form button.primary";

export const input = (name) =>
  `[data-field="${name}"] :is(input:not([type=range]), textarea)`;

export const reaches = (page, state) =>
  page.find(`.task:first-child[data-state="${state}"]`);

/** Starts the stack and the engine before the tests of the file, and stops them after the last. */
export function suite() {
  const started = {};
  const cleanups = [];
  before(async () => {
    started.folder = await folder({ after: (end) => cleanups.push(end) });
    started.stack = await startStack({ flags: ["--task-seconds", "0.1"] });
    started.engine = await startEngine();
  });
  after(async () => {
    try {
      await started.engine?.close();
    } finally {
      await started.stack?.stop();
      for (const cleanup of cleanups) await cleanup();
    }
  });
  return {
    /** Opens the playground at a capability, connected, in a storage of its own. */
    async open(test, capability) {
      const page = await started.engine.open();
      test.after(() => page.close());
      await page.goto(`${started.stack.url}/#${capability}`);
      await page.find(".connection[data-state=connected]");
      // The page has read the models, which change the form.
      await page.find("[data-worker=emulator]");
      return page;
    },
    /** Chooses a file with this content for a field, and waits until the page shows it. */
    async choose(page, field, name, bytes) {
      const path = join(started.folder, name);
      await writeFile(path, bytes);
      await page.choose(input(field), path);
      await page.waitFor(
        ([names, name]) =>
          [...document.querySelectorAll(names)].some(
            (element) => element.textContent === name,
          ),
        [`[data-field="${field}"] .name`, name],
      );
    },
    operations: () => logged(started.stack.logs).map((line) => line.operation),
  };
}
