// The setup of the playground's tests: a stack with a slow line, and an engine.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { startEngine } from "../support/engines/index.mjs";
import { logged } from "../support/gateway.mjs";
import { startStack } from "../support/stack.mjs";

/** Starts both before the tests of the file, and stops them after the last. */
export function suite() {
  const started = {};
  before(async () => {
    started.folder = await mkdtemp(join(tmpdir(), "mediagate-files-"));
    started.stack = await startStack({ flags: ["--task-seconds", "0.1"], uploadSpeed: 10_000_000 });
    started.engine = await startEngine();
  });
  after(async () => {
    await started.engine?.close();
    await started.stack?.stop();
    await rm(started.folder, { recursive: true, force: true });
  });
  return {
    /** The playground at a capability, connected, in a storage of its own. */
    async open(test, capability) {
      const page = await started.engine.open();
      test.after(() => page.close());
      await page.goto(`${started.stack.url}/#${capability}`);
      await page.find(".connection[data-state=connected]");
      // It appears above the form, whose parts it moves from under a pointer.
      await page.find("[data-worker=emulator]");
      return page;
    },
    /** Writes a file to choose; returns its path. */
    async file(name, bytes) {
      const path = join(started.folder, name);
      await writeFile(path, bytes);
      return path;
    },
    /** The operations that the gateway has served, in order. */
    operations: () => logged(started.stack.logs).map((it) => it.operation),
  };
}
