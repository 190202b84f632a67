// The code that the playground shows, copied from the page and run. The code of every capability is
// compiled in `www/test/code.test.ts`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { picture } from "../support/fixtures.mjs";
import { TIMEOUT_MS } from "../support/within.mjs";
import { file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

/** Makes a folder in the checkout, so that `mediagate` is found. It is removed after the test. */
async function folder(t) {
  await mkdir(`${root}.tools/code`, { recursive: true });
  const path = await mkdtemp(`${root}.tools/code/`);
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs the form's code in each language, in a folder with the files that the code uploads. */
async function runShownCode(playground, place) {
  const { page } = playground;
  await playground.moreOfForm("Show the code");
  for (const [language, program, script] of [
    ["TypeScript", "node", "code.mjs"],
    ["HTTP (curl)", "sh", "code.sh"],
    ["Python", "python3", "code.py"],
  ]) {
    await page
      .getByRole("button", { name: language, exact: true })
      .press("Enter");
    const code = page.getByRole("region", { name: language, exact: true });
    const shown = await code.locator("pre").innerText();
    await writeFile(`${place}/${script}`, shown);
    const { stdout } = await execute(program, [script], {
      cwd: place,
      timeout: TIMEOUT_MS,
    });
    assert.match(stdout, /url"?: ['"]http:/, language);
  }
}

test("the shown code runs when it is pasted, from the upload to the outputs", async (t) => {
  const playground = await open(t, "background_removal");
  const bytes = picture(40, 30);
  const name = "it's a photo.png";
  await playground.choose("file_id", file(name, "image/png", bytes));
  const place = await folder(t);
  await writeFile(`${place}/${name}`, bytes);
  await runShownCode(playground, place);
});

test("the code of a task can be copied without a token or a key, and the code for its result runs", async (t) => {
  const playground = await open(t, "text_to_image", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { page } = playground;
  await playground.make({ prompt: "a lighthouse", width: 64, height: 48 });
  await playground.more("Show the code");
  const dialog = page.getByRole("dialog", { name: "Text to image in code" });
  for (const [language, expected] of /** @type {[string, RegExp][]} */ ([
    ["TypeScript", /await media\.textToImage\(\{\n {2}prompt: "a lighthouse",/],
    ["HTTP (curl)", /curl -s '.+\/text_to_image'/],
    ["Python", /"prompt": "a lighthouse",/],
  ])) {
    const press = (name) =>
      dialog.getByRole("button", { name, exact: true }).press("Enter");
    await press(language);
    await dialog.getByRole("region", { name: language, exact: true }).waitFor();
    await press("Copy");
    await dialog.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(
      copied.trim(),
      (await dialog.locator("pre").innerText()).trim(),
    );
    assert.match(copied, expected);
    assert.doesNotMatch(copied, /eyJ|sk-/);
  }
  await playground.closeDialog();
  await playground.useIn("Remove background");
  await runShownCode(playground, await folder(t));
});
