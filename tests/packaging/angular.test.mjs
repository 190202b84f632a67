// The README's component of Angular, which the page compiles.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite({ stack: { flags: ["--task-seconds", "2"] } });

let folder;
before(async () => {
  folder = await install("angular", "angular");
  const readme = `${folder}/node_modules/mediagate/README.md`;
  const sample = /^```ts\n(.*?@angular\/core.*?)^```$/ms.exec(
    await readFile(readme, "utf8"),
  );
  const own = 'new URLSearchParams(location.search).get("gateway") as string';
  await writeFile(
    `${folder}/sample.ts`,
    sample[1].replace('"https://media.example.com"', own),
  );
  await run(tool("vite"), ["build", "--logLevel", "error"], folder);
});
after(() => remove(folder));

test("a component shows a generation until it is destroyed", async (t) => {
  const { page } = await suited.visit(t, `${folder}/dist`);
  await page.shows("button", "idle");
  await page.click("button");
  await page.shows("button", "running");
  await page.shows("button", "succeeded");
  await page.waitFor(() => document.querySelector("img")?.naturalWidth > 0);

  await page.click("button");
  await page.shows("button", "running");
  const isFollowed = await page.evaluate(async () => {
    const { app } = /** @type {any} */ (globalThis);
    const { generation, picture } = app.components[0].instance;
    app.destroy();
    // Another subscriber sees the end of the task.
    await new Promise((ended) => {
      const end = generation.subscribe(() => {
        if (generation.getSnapshot().status === "succeeded") ended(end());
      });
    });
    return picture().status === "succeeded";
  });
  assert.equal(isFollowed, false);
  assert.deepEqual(await page.lines(), [
    "Angular is running in development mode.",
  ]);
});

test("the component compiles", async () => {
  await run(tool("tsc"), ["--project", "."], folder);
});
