// Errors are shown as text, at the place that caused them. Those in a request, and doubts about it,
// are shown before it is sent, and cost nothing. `www/test/checks.test.ts` tests the checks.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lockedPdf, picture } from "../support/fixtures.mjs";
import {
  eventually,
  file,
  hasFocus,
  pdfFile,
  png,
  shownSize,
  VIDEO,
} from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Returns the texts of the issues at a field. */
const texts = (playground, name) =>
  playground.field(name).locator(".issues li").allInnerTexts();

const AVATAR = {
  avatar_asset_id: "avatar_public",
  voice_asset_id: "voice_public",
  text: "Welcome.",
};

test("an invalid request is not sent, and each issue is shown at its place in the form", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  const prompt = playground.field("prompt").locator("textarea");
  await playground.fillIn({ file_id: png(8, 8), duration_seconds: 0 });
  await playground.run();
  await hasFocus(prompt);
  assert.deepEqual(await texts(playground, "prompt"), [
    "Prompt is missing. Write it.",
  ]);
  assert.equal((await texts(playground, "duration_seconds")).length, 1);
  assert.deepEqual(await texts(playground, "file_id"), []);
  assert.equal(await prompt.getAttribute("aria-invalid"), "true");
  await playground.fill("prompt", "slow push in");
  await eventually(() => texts(playground, "prompt"), []);

  await playground.go("split_video");
  await playground.press("Add a part");
  await page.getByLabel("Start of part 2").fill("00:00:09");
  await page.getByLabel("End of part 2").fill("00:00:07");
  await playground.run();
  await playground.field("segments").locator(".issues").waitFor();
  const isInvalid = (label) =>
    page.getByLabel(label).getAttribute("aria-invalid");
  assert.equal(await isInvalid("End of part 2"), "true");
  assert.equal(await isInvalid("End of part 1"), "false");
  assert.equal(playground.count("POST", /^\/api\//), 0);

  await playground.go("image_to_video");
  await playground.make({ duration_seconds: 1 });
});

test("the models are offered with their values and prices, and others are refused before an upload", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const run = page.locator(".form button.primary");
  await eventually(() => run.innerText(), "Run\n· 4 credits");
  await playground.go("omni_reference_to_video");
  await playground.fillIn({
    video_file_ids: VIDEO,
    prompt: "they meet",
  });
  await playground.fill("duration_seconds", "3");
  await eventually(() => run.innerText(), "Run\n· 30 credits");
  await playground.showMore();
  await playground
    .field("model_id")
    .getByText("10 credits per second")
    .first()
    .waitFor();
  const choose = (field, name) =>
    playground.field(field).getByRole("radio", { name }).press("Space");
  await choose("model_id", /^omni-reference-images-only/);
  await choose("clarity", /^2K$/);
  await choose("aspect_ratio", /^21:9$/);
  await playground.fill("duration_seconds", "61");
  await playground.run();
  // The errors are shown before the run. After it, the focus is on the first one.
  await hasFocus(
    playground.field("video_file_ids").locator("input[type=file]"),
  );
  await page.getByText("2 errors to correct").waitFor();
  assert.deepEqual(await page.locator(".issues li").allInnerTexts(), [
    "Videos does not suit this model, which takes images",
    "Duration (seconds) must be a whole number from 1 to 60 for this model",
  ]);
  assert.equal(playground.count("POST", /upload_urls$/), 0);
});

test("a refusal is shown with its code, at its field, and as a task that was not started or may exist", async (t) => {
  const playground = await open(t, "text_driven");
  await playground.fillIn(AVATAR);
  const refusals = /** @type {const} */ ([
    [13, "upstream_credentials", "refused"],
    [1401, "insufficient_credits", "refused"],
    [1405, "provider_timeout", "unknown"],
    [1499, "unknown", "unknown"],
  ]);
  const { stage, task } = playground;
  for (const [code, name, step] of refusals) {
    const title = `emulate: code=${code}`;
    await playground.fill("title", title);
    await playground.run();
    await stage.getByRole("heading", { level: 2, name: title }).waitFor();
    const shown = await playground.failure();
    assert.equal(shown.code, name);
    assert.match(shown.text, new RegExp(`code ${code} · request \\S+`));
    await eventually(() => task.getAttribute("data-step"), step);
  }
  assert.equal(await playground.page.locator(".task").count(), 4);
  assert.equal(await playground.page.locator(".form .failure").count(), 0);

  await playground.fillIn({ title: "", avatar_asset_id: "avatar_locked" });
  await playground.run();
  await eventually(
    async () => (await playground.failure()).code,
    "asset_locked",
  );
  await playground.field("avatar_asset_id").locator(".issues").waitFor();
});

test("an unreadable response, a failed or expired task, and an undocumented state are shown", async (t) => {
  const playground = await open(t, "text_driven");
  await playground.fillIn(AVATAR);
  for (const fault of ["html", "cut"]) {
    const title = `emulate: ${fault}`;
    await playground.fill("title", title);
    await playground.run();
    await playground.stage
      .getByRole("heading", { level: 2, name: title })
      .waitFor();
    const { code, text } = await playground.failure();
    assert.equal(code, "server_error", fault);
    assert.doesNotMatch(text, /<html|undefined|\[object/i);
  }
  for (const [state, code] of [
    ["FAILED", "task_failed"],
    ["EXPIRED", "task_expired"],
  ]) {
    const title = `emulate: state=${state} seconds=0.5`;
    await playground.make({ title }, state);
    const failure = playground.stage.locator(".failure");
    assert.equal(await failure.getAttribute("data-code"), code);
    assert.equal(await playground.stage.locator("progress").count(), 0);
  }
  // The state is shown unchanged, also if JavaScript has the word, and the task is watched on.
  const title = "emulate: state=constructor numeric-id seconds=12";
  await playground.fill("title", title);
  await playground.run();
  await playground.task
    .locator(".facts")
    .getByText(/: constructor$/)
    .waitFor();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(
    playground.pageErrors.filter((message) => !/status of|ERR_/.test(message)),
    [],
  );
});

test("a request can be cancelled at once, also while it waits for another tab", async (t) => {
  const playground = await open(t, "text_driven");
  const { page } = playground;
  // Another tab holds the lock of each task.
  await page.evaluate(() => {
    const locks = /** @type {any} */ (navigator.locks);
    const request = locks.request.bind(locks);
    void request("held", () => new Promise(() => {}));
    locks.request = (name, ...rest) =>
      request(name.startsWith("mediagate.store.") ? "held" : name, ...rest);
  });
  await playground.fillIn(AVATAR);
  const form = page.locator(".form");
  const cancel = playground.button("Cancel", { exact: true });
  await playground.run();
  await cancel.press("Enter");
  assert.equal((await playground.failure(form)).code, "aborted");
  assert.equal(playground.count("POST", /text_driven$/), 0);

  await playground.reload();
  await playground.fill("title", "emulate: slow=20000");
  await playground.run();
  await eventually(() => playground.count("POST", /text_driven$/), 1);
  // A request that the gateway has answered does not fail.
  const aborted = page.waitForEvent("requestfailed", (request) =>
    /text_driven$/.test(request.url()),
  );
  await cancel.press("Enter");
  assert.equal((await playground.failure()).code, "aborted");
  await aborted;
  // The create has left, so that it may have reached the gateway.
  await form.getByRole("button", { name: "Ask again" }).waitFor();
  assert.equal(await form.locator(".failure").count(), 0);
});

test("a file that can't be read any more must be chosen again, and a rejected upload can be tried again", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-chosen-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "photo.png");
  await writeFile(path, picture(64, 64));
  const playground = await open(t, "background_removal");
  await playground.choose("file_id", path);
  await rm(path);
  await playground.run();
  assert.match(
    (await playground.failure()).text,
    /can't be read|cannot be read/,
  );

  await playground.choose("file_id", png(64, 64));
  const storage = (url) => url.origin !== playground.url;
  await playground.page.route(storage, (route) => route.abort());
  await playground.run();
  await eventually(
    async () => (await playground.failure()).code,
    "upload_failed",
  );
  assert.equal(playground.count("POST", /background_removal$/), 0);
  await playground.page.unroute(storage);
  await playground.press("Try again", playground.stage);
  await playground.reaches("SUCCEEDED");
  assert.equal(await playground.page.locator(".task").count(), 2);
});

test("PDFs show their first pages and their numbers of pages, and problems with them stop a request", async (t) => {
  const playground = await open(t, "merge_pdf");
  const { page } = playground;
  const field = playground.field("input_file_ids");
  const damaged = file("c.pdf", "application/pdf", Buffer.from("%PDF-1.7 no"));
  const two = await pdfFile([600, 201], "two.pdf");
  await playground.choose(
    "input_file_ids",
    await pdfFile([150], "one.pdf"),
    two,
    damaged,
    file("locked.pdf", "application/pdf", lockedPdf()),
  );
  await eventually(
    () => texts(playground, "input_file_ids"),
    [
      "PDFs 3 “c.pdf” cannot be read as a PDF. Choose another file.",
      "PDFs 4 “locked.pdf” has a password. Remove the password, or choose another file.",
    ],
  );
  const counts = async () =>
    (await field.locator(".item .facts").allInnerTexts()).map(
      (facts) => facts.split(" · ")[1],
    );
  await eventually(counts, ["1 page", "2 pages", undefined, undefined]);
  const covers = field.locator(".item img");
  assert.equal(await covers.count(), 2);
  assert.deepEqual(await shownSize(covers.nth(0)), [162, 324]);
  assert.deepEqual(await shownSize(covers.nth(1)), [162, 81]);
  await playground.run();
  await page.getByText("2 errors to correct").waitFor();
  await hasFocus(field.locator("input[type=file]"));
  assert.equal(await page.getByRole("button", { name: /again/ }).count(), 0);

  await playground.go("split_pdf");
  const range = playground.field("page_range");
  await playground.choose("input_file_id", damaged);
  await range.getByText("cannot be read as a PDF").waitFor();
  await playground.fillIn({ input_file_id: two, page_range: "1,7-9" });
  // A page past the end is marked while it is typed.
  await eventually(
    () => texts(playground, "page_range"),
    ["Page range names page 9, but the last page of the PDF is 2"],
  );
  await playground.run();
  await page.getByText("1 error to correct").waitFor();
  await hasFocus(range.locator("input[type=text]"));
  assert.equal(playground.count("POST", /^\/api\//), 0);

  // A doubt does not stop a request.
  await playground.fill("page_range", "2-1");
  await range.locator(".doubt").waitFor();
  assert.equal(
    await range.locator("input[type=text]").getAttribute("aria-invalid"),
    "false",
  );
  await playground.finish();
  assert.deepEqual(playground.pageErrors, []);
});

test("a request is checked against its picture or video, even if that is chosen last", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const left = page.getByLabel("x", { exact: true });
  await left.fill("500");
  for (const side of ["y", "width", "height"])
    await page.getByLabel(side, { exact: true }).fill("10");
  await playground.choose("file_id", png(40, 30));
  await playground.run();
  await hasFocus(left);
  assert.match((await texts(playground, "region")).join(), /40 × 30 pixels/);
  assert.equal(await left.getAttribute("aria-invalid"), "true");
  assert.equal(playground.count("POST", /background_removal/), 0);
  const broken = picture(8, 8).subarray(0, 40);
  await playground.choose("file_id", file("a.png", "image/png", broken));
  await eventually(
    () => texts(playground, "file_id"),
    [
      "Image “a.png” cannot be shown by this browser, and may be damaged. Check it, or choose another file.",
    ],
  );

  await playground.go("split_video");
  await playground.choose("input_file_id", VIDEO);
  await page.getByRole("slider", { name: "End of part 1, seconds" }).waitFor();
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:09");
  await page.locator(".range[data-following=false]").waitFor();
  await playground
    .field("segments")
    .getByText("after the end of the video, 00:00:06")
    .waitFor();
  const half = VIDEO.buffer.subarray(0, VIDEO.buffer.length / 2);
  await playground.choose("input_file_id", file("a_b.mp4", "video/mp4", half));
  await eventually(
    () => texts(playground, "input_file_id"),
    ["Video “a_b.mp4” is cut off or damaged. Choose the complete file."],
  );
  await playground.go("resize_video");
  await playground.fillIn({ input_file_id: VIDEO, width: 81, height: 80 });
  await playground.field("height").locator(".issues").waitFor();
  await playground.finish();
  assert.deepEqual(playground.pageErrors, []);
});
