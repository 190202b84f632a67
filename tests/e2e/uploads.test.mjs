// Each tab has its own form, which stays usable while it uploads, and stores each of its files
// once. An upload outlives its form and its page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, hasFocus, Playground, png } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite({
  flags: ["--task-seconds", "0.1"],
  uploadSpeed: 250_000,
});

const prompt = (page) => page.locator("textarea[name=prompt]");

/** Resolves to the sizes of the files that the page stores. */
const storedFiles = async (playground) =>
  (await playground.kept()).flatMap(({ fileSize }) => fileSize ?? []);

test("each tab keeps its own form, and a new one begins with the last", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await prompt(page).fill("a lighthouse");
  await playground.fill("title", "first");
  await playground.fill("title", "");
  await playground.written();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await eventually(() => prompt(other).inputValue(), "a lighthouse");
  await prompt(other).fill("a paper boat");
  await new Playground(other, playground.url).written();
  await page.reload();
  await eventually(() => prompt(page).inputValue(), "a lighthouse");
  assert.equal(await page.locator("input[name=title]").inputValue(), "");
  await other.reload();
  await eventually(() => prompt(other).inputValue(), "a paper boat");
});

/** Returns a picture whose upload takes 10 s. */
const large = () => png(900, 900, "large.png");

test("an upload is cancelled on the stage, and a form can be run again while it uploads, and stores a file of two runs once", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await playground.choose("file_id", large());
  await playground.run();
  await playground.press("Cancel Remove background");
  await playground.task.waitFor({ state: "detached" });
  await hasFocus(playground.stageHeading);

  const uploads = () => playground.count("POST", /upload_urls$/);
  const before = uploads();
  const smaller = png(700, 700, "smaller.png");
  await playground.choose("file_id", smaller);
  await playground.run();
  await playground.task.getByText("uploading").waitFor();
  await playground.fill("title", "the second one");
  await playground.submit();
  await page.locator('.task[data-state="SUCCEEDED"]').nth(1).waitFor();
  assert.equal(playground.count("POST", /background_removal$/), 2);
  assert.equal(uploads(), before + 1);
  await playground.reload();
  await playground.has("file_id", "smaller.png");
  assert.deepEqual(await storedFiles(playground), [smaller.buffer.length]);
});

test("an upload is listed at once, goes on behind another form, and starts again after a reload", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const dialogs = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await playground.choose("file_id", large());
  await playground.run();
  await playground.task.getByText("uploading").waitFor();
  await playground.stage.getByText(/^\d+ %$/).waitFor();
  await playground.field("file_id").locator("progress").waitFor();
  await hasFocus(page.locator(".form button.primary[aria-disabled=true]"));
  await playground.go("merge_pdf");
  assert.match(await playground.task.innerText(), /Uploading/);
  await page.reload();
  assert.deepEqual(dialogs, ["beforeunload"]);
  await playground.task.getByText("uploading").waitFor();
  await playground.reaches("SUCCEEDED");
  assert.equal(playground.count("POST", /background_removal$/), 1);
  assert.equal(await page.locator(".task").count(), 1);
  await page.reload();
  assert.equal(dialogs.length, 1);
});
