// Errors are shown as text, at the place that caused them. Those in a request, and doubts about it,
// are shown before it is sent, and cost nothing.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { lockedPdf, picture } from "../support/fixtures.mjs";
import { sourceModule } from "../support/source.mjs";
import {
  eventually,
  file,
  hasFocus,
  pdfFile,
  png,
  VIDEO,
} from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Returns the requests that create something. */
const creates = (playground) =>
  playground.requests.filter(
    (request) => request.method === "POST" && request.path.startsWith("/api/"),
  );

const issues = (playground, field) =>
  playground.field(field).locator(".issues");

async function fillAvatar(playground) {
  await playground.fillIn({
    avatar_asset_id: "avatar_public",
    voice_asset_id: "voice_public",
    text: "Welcome.",
  });
}

test("an invalid request is not sent, and every issue is shown at its field", async (t) => {
  const playground = await open(t, "image_to_video");
  await playground.fillIn({ file_id: png(8, 8), duration_seconds: 0 });
  await playground.run();
  await issues(playground, "prompt").waitFor();
  await issues(playground, "duration_seconds").waitFor();
  assert.equal(await issues(playground, "file_id").count(), 0);
  assert.equal(
    await playground
      .field("prompt")
      .locator("textarea")
      .getAttribute("aria-invalid"),
    "true",
  );
  assert.equal(creates(playground).length, 0);
  await hasFocus(playground.field("prompt").locator("textarea"));

  await playground.fill("prompt", "slow push in");
  await issues(playground, "prompt").waitFor({ state: "detached" });
  await playground.make({ duration_seconds: 1 });
});

test("an issue is in words for a person: the label of its field, and the remedy in the form", async (t) => {
  const playground = await open(t, "image_to_video");
  const text = (field) => () => issues(playground, field).innerText();
  await playground.fill("prompt", "  ");
  await playground.run();
  await eventually(text("file_id"), "Image is missing. Choose a file.");
  await eventually(text("prompt"), "Prompt is empty. Write it.");
  await playground.go("omni_reference_to_video");
  await playground.fill("prompt", "they meet");
  await playground.run();
  const references = await playground.page.locator(".form .issues").innerText();
  assert.match(references, /give at least one of Images, Videos, Audio files/);
  assert.doesNotMatch(references, /file_ids/);
});

test("the models and their values are offered, and others are refused before an upload", async (t) => {
  const playground = await open(t, "omni_reference_to_video");
  await playground.fillIn({
    video_file_ids: file("a.mp4", "video/mp4", Buffer.from("not a video")),
    prompt: "they meet",
  });
  await playground.showMore();
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
  await playground.page.getByText("2 errors to correct").waitFor();
  assert.deepEqual(
    await playground.page.locator(".issues li").allInnerTexts(),
    [
      "Videos does not suit this model, which takes images",
      "Duration (seconds) must be 1 to 60 for this model",
    ],
  );
  assert.equal(playground.count("POST", /upload_urls$/), 0);
});

test("an issue deep inside a field shows its place there", async (t) => {
  const playground = await open(t, "split_video");
  await playground.press("Add a part");
  await playground.page.getByLabel("Start of part 2").fill("00:00:09");
  await playground.page.getByLabel("End of part 2").fill("00:00:07");
  await playground.run();
  await issues(playground, "segments").waitFor();
  assert.match(
    await issues(playground, "segments").innerText(),
    /^Parts to keep 2, end time is before start time/,
  );
  assert.equal(
    await playground.page
      .getByLabel("End of part 2")
      .getAttribute("aria-invalid"),
    "true",
  );
  assert.equal(
    await playground.page
      .getByLabel("End of part 1")
      .getAttribute("aria-invalid"),
    "false",
  );
  assert.match(
    await issues(playground, "input_file_id").innerText(),
    /missing/,
  );
  assert.equal(creates(playground).length, 0);
});

test("each documented code arrives as its typed error", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  const { codes } = catalogue.capabilities.find(
    (capability) => capability.name === "text_driven",
  );
  const refusals = codes.filter((code) => code.code !== 0);
  assert.equal(refusals.length, 13);
  for (const { code, name } of refusals) {
    await playground.fill("title", `emulate: code=${code}`);
    await playground.run();
    const shown = await playground.failure();
    if (code === 13)
      assert.match(
        shown.text,
        /refused this gateway's key\s+Only the operator/,
      );
    // Code 13 from the upstream is about the gateway's own key, not about the user's session.
    assert.equal(
      shown.code,
      code === 13 ? "upstream_credentials" : name,
      `code ${code}`,
    );
    assert.match(shown.text, new RegExp(`code ${code} · request \\S+`));
  }
  await playground.fill("title", "emulate: code=1499");
  await playground.run();
  assert.equal((await playground.failure()).code, "unknown");
  // Only the creates that may have made a task are listed: 99, 1404, 1405 and 1499.
  const tasks = playground.page.locator(".task");
  await eventually(() => tasks.getByText("outcome unknown").count(), 4);
  assert.equal(await tasks.count(), 4);
});

test("the upstream's errors about a field are shown at the field", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  for (const [field, id, code] of [
    ["voice_asset_id", "unknown", "voice_asset_required"],
    ["voice_asset_id", "avatar_public", "asset_category_mismatch"],
    ["avatar_asset_id", "avatar_locked", "asset_locked"],
    ["avatar_asset_id", "avatar_expired", "asset_expired"],
  ]) {
    await fillAvatar(playground);
    await playground.fill(field, id);
    await playground.run();
    assert.equal((await playground.failure()).code, code, id);
    await issues(playground, field).waitFor();
  }
});

test("a missing or unreadable response, a failed or expired task, and an undocumented state are shown", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  for (const fault of ["html", "empty", "reset", "cut"]) {
    await playground.fill("title", `emulate: ${fault}`);
    await playground.run();
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
    const failure = playground.task.locator(".failure");
    assert.equal(await failure.getAttribute("data-code"), code);
    assert.equal(await playground.task.locator("progress").count(), 0);
  }
  // The state is shown unchanged, also if JavaScript has the word, and the task is watched on.
  const title = "emulate: state=constructor numeric-id seconds=12";
  await playground.fill("title", title);
  await playground.run();
  await playground.task
    .locator("header .facts")
    .getByText(/: constructor$/)
    .waitFor();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(
    playground.pageErrors.filter((message) => !/status of|ERR_/.test(message)),
    [],
  );
});

test("a request can be cancelled at once", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  await playground.fill("title", "emulate: slow=20000");
  await playground.run();
  await eventually(() => playground.count("POST", /text_driven$/), 1);
  // A request that the gateway has answered does not fail.
  const aborted = playground.page.waitForEvent("requestfailed", (request) =>
    /text_driven$/.test(request.url()),
  );
  await playground.button("Cancel", { exact: true }).press("Enter");
  assert.equal((await playground.failure()).code, "aborted");
  await aborted;
  // The create has left, so that it may have reached the gateway.
  await playground.page
    .locator(".form")
    .getByRole("button", { name: "Ask again" })
    .waitFor();
});

test("a create that waits for another tab is cancelled without an alarm", async (t) => {
  const playground = await open(t, "text_driven");
  // Another tab holds the lock of each task.
  await playground.page.evaluate(() => {
    const locks = /** @type {any} */ (navigator.locks);
    const request = locks.request.bind(locks);
    void request("held", () => new Promise(() => {}));
    locks.request = (name, ...rest) =>
      request(name.includes(".task.") ? "held" : name, ...rest);
  });
  await fillAvatar(playground);
  await playground.run();
  await playground.button("Cancel", { exact: true }).press("Enter");
  assert.equal((await playground.failure()).code, "aborted");
  assert.equal(playground.count("POST", /text_driven$/), 0);
});

test("an upload that the storage rejects is an upload error, and can be tried again", async (t) => {
  const playground = await open(t, "background_removal");
  await playground.choose("file_id", png(64, 64));
  const storage = (url) => url.origin !== playground.url;
  await playground.page.route(storage, (route) => route.abort());
  await playground.run();
  assert.equal((await playground.failure()).code, "upload_failed");
  assert.equal(playground.count("POST", /background_removal$/), 0);
  await playground.page.unroute(storage);
  await playground.finish();
});

test("a file that can't be read any more must be chosen again", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-chosen-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "photo.png");
  await writeFile(path, picture(64, 64));
  const playground = await open(t, "background_removal");
  await playground.choose("file_id", path);
  await rm(path);
  await playground.run();
  const failure = playground.page.locator(".failure").first();
  await failure.waitFor();
  assert.match(await failure.innerText(), /can't be read|cannot be read/);
});

test("a request is checked against the facts of its file", async () => {
  const { knownIssues } = await sourceModule("form/checks/index.ts");
  const check = (media, values, facts, ...expected) => {
    const kindOf = (name) => (name in SIZE ? "integer" : name);
    const fields = Object.keys(values).map((name) => ({
      name,
      kind: kindOf(name),
    }));
    const found = knownIssues(
      [{ name: "input", kind: "file", media }, ...fields],
      { input: new File(["x"], "a"), ...values },
      () => facts,
    );
    const texts = found.map(({ severity, path }) => `${severity} ${path}`);
    assert.deepEqual(texts, expected, JSON.stringify(values));
  };
  const SIZE = { width: 640, height: 360 };

  const pages = { pages: 5 };
  const right = ["", "1-5", "5,1,1-2", " 1 - 2 , 5 ", "4-", "last", "1,,2"];
  for (const page_range of [...right, "1-2,odd"])
    check("pdf", { page_range }, pages);
  const wrong = ["6", "4-6", "1,99", "0", "0-2", "-", ",", "9".repeat(20)];
  for (const page_range of wrong)
    check("pdf", { page_range }, pages, "error page_range");
  check("pdf", { page_range: "3-1" }, pages, "warning page_range");
  check("pdf", { page_range: "99" }, {});

  const part = (start_time, end_time) => ({
    segments: [{ start_time, end_time }],
  });
  const length = { duration: 3.6 };
  const late = part("00:00:04", "00:00:09");
  check("video", part("00:00:00", "00:00:04"), length);
  check(
    "video",
    part("00:00:00", "00:00:05"),
    length,
    "error segments[0].end_time",
  );
  check("video", late, length, "error segments[0].start_time");
  check("video", part("", "x"), length);
  check("video", late, {});

  const region = (x, y, width, height) => ({
    region: { x, y, width, height },
  });
  const frame = { size: { width: 400, height: 300 } };
  check("image", region(0, 0, 400, 300), frame);
  check("image", region(300, 0, 101, 10), frame, "warning region");
  check("image", region(-5, 0, 10, 10), frame, "warning region");
  check("image", region(400, 0, 5, 5), frame, "error region");
  check("image", region(0, 300, 5, 5), frame, "error region");
  check("image", region(-5, 0, 5, 5), frame, "error region");
  check("image", { region: { x: 900 } }, frame);
  check("image", region(900, 900, 5, 5), {});

  const video = { size: SIZE };
  for (const [width, height] of [
    [320, 180],
    [1280, 720],
    [426, 240],
    [100, undefined],
    [Number.NaN, 2],
  ])
    check("video", { width, height }, video);
  const odd = ["warning width", "warning height", "warning height"];
  check("video", { width: 321, height: undefined }, video, "warning width");
  check("video", { width: 320, height: 320 }, video, "warning height");
  check("video", { width: 321, height: 321 }, video, ...odd);
  check("video", { width: 320, height: 320 }, {});
  check("video", { video_size: [640, 360] }, video);
  check("video", { video_size: [640, 480] }, video, "warning video_size");
});

const texts = (playground, name) =>
  playground.field(name).locator(".issues li").allInnerTexts();

test("a page past the end is marked while it is typed, and no request is sent", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.fillIn({
    input_file_id: await pdfFile([201, 202], "two.pdf"),
    page_range: "1,7-9",
  });
  await eventually(
    () => texts(playground, "page_range"),
    ["Page range names page 9, but the last page of the PDF is 2"],
  );
  const sent = playground.requests.length;
  await playground.run();
  await playground.page.getByText("1 error to correct").waitFor();
  await hasFocus(playground.field("page_range").locator("input[type=text]"));
  assert.deepEqual(
    playground.requests
      .slice(sent)
      .filter((request) => request.method === "POST"),
    [],
  );
  await playground.fill("page_range", "2-1");
  await eventually(
    () => texts(playground, "page_range"),
    [
      "Page range 2-1 goes backwards, which is an unusual range; the media service may refuse it",
    ],
  );
  await playground.finish();
  const range = playground.field("page_range");
  assert.equal(await range.locator(".doubt").count(), 1);
  assert.equal(
    await range.locator("input[type=text]").getAttribute("aria-invalid"),
    "false",
  );
  assert.equal(await playground.page.getByText("to correct").count(), 0);
  assert.deepEqual(playground.pageErrors, []);
});

test("a request is checked right before it is sent against a file that is chosen last", async (t) => {
  const playground = await open(t, "background_removal");
  await playground.page.getByLabel("x", { exact: true }).fill("500");
  for (const side of ["y", "width", "height"])
    await playground.page.getByLabel(side, { exact: true }).fill("10");
  await playground.choose("file_id", png(40, 30));
  await playground.run();
  await eventually(
    () => texts(playground, "region"),
    [
      "Region is outside of the picture, which is 40 × 30 pixels; move it into the picture",
    ],
  );
  const left = playground.page.getByLabel("x", { exact: true });
  await hasFocus(left);
  assert.equal(await left.getAttribute("aria-invalid"), "true");
  assert.equal(playground.count("POST", /background_removal/), 0);
});

test("times and sizes are checked against the video", async (t) => {
  const playground = await open(t, "split_video");
  const { page } = playground;
  await playground.choose("input_file_id", VIDEO);
  await page.getByRole("slider", { name: "End of part 1, seconds" }).waitFor();
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:09");
  await eventually(
    () => page.locator(".range").getAttribute("data-following"),
    "false",
  );
  await eventually(
    () => texts(playground, "segments"),
    [
      "Parts to keep 1, end time is after the end of the video, 00:00:06; " +
        "give that time or an earlier one",
    ],
  );

  await playground.go("resize_video");
  await playground.fillIn({ input_file_id: VIDEO, width: 81, height: 80 });
  await eventually(
    () => texts(playground, "width"),
    ["Width is odd, and videos have even sides: the result has 80 pixels"],
  );
  await eventually(
    async () =>
      (await texts(playground, "height")).map((text) =>
        /so it is stretched; 46 fits this width/.test(text),
      ),
    [true],
  );
  await playground.finish();
  assert.deepEqual(playground.pageErrors, []);
});

test("a file that is damaged or has a password is reported before it is uploaded", async (t) => {
  const playground = await open(t, "merge_pdf");
  const { page } = playground;
  const damaged = file("b.pdf", "application/pdf", Buffer.from("%PDF-1.7 no"));
  const issues = (name) => playground.field(name).locator(".issues li");
  await playground.choose(
    "input_file_ids",
    await pdfFile([201]),
    damaged,
    file("c.pdf", "application/pdf", lockedPdf()),
  );
  const refusals = [
    "PDFs 2 cannot be read as a PDF. Choose another file.",
    "PDFs 3 has a password. Remove the password, or choose another file.",
  ];
  await eventually(() => issues("input_file_ids").allInnerTexts(), refusals);
  await playground.run();
  await page.getByText("2 errors to correct").waitFor();
  await hasFocus(
    playground.field("input_file_ids").locator("input[type=file]"),
  );
  assert.equal(await page.getByRole("button", { name: /again/ }).count(), 0);
  await playground.go("background_removal");
  const broken = picture(8, 8).subarray(0, 40);
  await playground.choose("file_id", file("a.png", "image/png", broken));
  await eventually(
    () => issues("file_id").allInnerTexts(),
    ["Image cannot be shown by this browser, and may be damaged."],
  );
  await playground.go("split_pdf");
  await playground.choose("input_file_id", damaged);
  await playground
    .field("page_range")
    .getByText("cannot be read as a PDF")
    .waitFor();
  await playground.fill("page_range", "1");
  assert.equal(playground.count("POST", /upload_urls$/), 0);
});
