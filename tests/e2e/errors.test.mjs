// Errors are shown as text, at the place that caused them.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { pdf, picture } from "../support/fixtures.mjs";
import { eventually, file } from "./playground.mjs";
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
  await playground.fill("avatar_asset_id", "avatar_public");
  await playground.fill("voice_asset_id", "voice_public");
  await playground.fill("text", "Welcome.");
}

test("an invalid request is not sent, and every issue is shown at its field", async (t) => {
  const playground = await open(t, "image_to_video");
  await playground.choose("file_id", file("a.png", "image/png", picture(8, 8)));
  await playground.fill("duration_seconds", "0");
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
  await eventually(
    () =>
      playground.page.evaluate(() =>
        document.activeElement?.getAttribute("name"),
      ),
    "prompt",
  );

  await playground.fill("prompt", "slow push in");
  await issues(playground, "prompt").waitFor({ state: "detached" });
  await playground.fill("duration_seconds", "5");
  await playground.run();
  await playground.reaches("SUCCEEDED");
});

test("an issue is in words for a person: the label of its field, and the remedy in the form", async (t) => {
  const playground = await open(t, "image_to_video");
  const text = (field) => issues(playground, field).innerText();
  await playground.fill("prompt", "  ");
  await playground.run();
  assert.equal(await text("file_id"), "Image is missing. Choose a file.");
  assert.equal(await text("prompt"), "Prompt is empty. Write it.");
  await playground.go("omni_reference_to_video");
  await playground.fill("prompt", "they meet");
  await playground.run();
  const references = await playground.page.locator(".form .issues").innerText();
  assert.match(references, /give at least one of Images, Videos, Audio files/);
  assert.doesNotMatch(references, /file_ids/);
});

test("a doubt is shown, and stops nothing", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.choose(
    "input_file_id",
    file("a.pdf", "application/pdf", await pdf([200, 210, 220])),
  );
  await playground.fill("page_range", "3-1");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const doubt = issues(playground, "page_range").locator(".doubt");
  assert.match(
    await doubt.innerText(),
    /unusual range; the media service may refuse it/,
  );
  const input = playground.field("page_range").locator("input[type=text]");
  assert.equal(await input.getAttribute("aria-invalid"), "false");
  assert.equal(await playground.page.getByText("to correct").count(), 0);
});

test("the models and their values are offered, and others are refused before an upload", async (t) => {
  const playground = await open(t, "omni_reference_to_video");
  await playground.choose(
    "video_file_ids",
    file("a.mp4", "video/mp4", Buffer.from("not a video")),
  );
  await playground.fill("prompt", "they meet");
  await playground.showMore();
  await playground
    .field("model_id")
    .getByText("omni-reference-images-only")
    .click();
  await playground.field("clarity").getByText("2K", { exact: true }).click();
  await playground
    .field("aspect_ratio")
    .getByText("21:9", { exact: true })
    .click();
  await playground.fill("duration_seconds", "61");
  await playground.run();
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
  await playground.page
    .getByRole("button", { name: "Add a part" })
    .press("Enter");
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
  assert.equal(await playground.page.locator(".task").count(), 4);
  assert.equal(
    await playground.page.locator(".task").getByText("outcome unknown").count(),
    4,
  );
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

test("a missing or unreadable response is shown as an error too", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  for (const fault of ["html", "empty", "reset", "cut"]) {
    await playground.fill("title", `emulate: ${fault}`);
    await playground.run();
    const { code, text } = await playground.failure();
    assert.equal(code, "server_error", fault);
    assert.doesNotMatch(text, /<html|undefined|\[object/i);
  }
});

test("a task that fails or expires shows an error", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  for (const [state, code] of [
    ["FAILED", "task_failed"],
    ["EXPIRED", "task_expired"],
  ]) {
    await playground.fill("title", `emulate: state=${state} seconds=0.5`);
    await playground.run();
    await playground.reaches(state);
    assert.equal(
      await playground.task.locator(".failure").getAttribute("data-code"),
      code,
    );
    assert.equal(await playground.task.locator("progress").count(), 0);
  }
});

test("an undocumented state is shown unchanged, and the task is watched on", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  await playground.fill(
    "title",
    "emulate: state=POLISHING numeric-id seconds=8",
  );
  await playground.run();
  await playground.reaches("POLISHING");
  assert.match(await playground.task.innerText(), /POLISHING/);
  await playground.reaches("SUCCEEDED");
});

test("a request can be cancelled at once", async (t) => {
  const playground = await open(t, "text_driven");
  await fillAvatar(playground);
  await playground.fill("title", "emulate: slow=20000");
  await playground.run();
  await eventually(() => playground.count("POST", /text_driven$/), 1);
  const start = Date.now();
  await playground.page
    .getByRole("button", { name: "Cancel", exact: true })
    .click();
  assert.equal((await playground.failure()).code, "aborted");
  assert.ok(Date.now() - start < 10_000);
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
  await playground.page
    .getByRole("button", { name: "Cancel", exact: true })
    .press("Enter");
  assert.equal((await playground.failure()).code, "aborted");
  assert.equal(playground.count("POST", /text_driven$/), 0);
});

test("an upload that the storage rejects is an upload error, and can be tried again", async (t) => {
  const playground = await open(t, "image_to_video");
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(64, 64)),
  );
  await playground.fill("prompt", "slow push in");
  const storage = (url) => url.origin !== playground.url;
  await playground.page.route(storage, (route) => route.abort());
  await playground.run();
  assert.equal((await playground.failure()).code, "upload_failed");
  assert.equal(playground.count("POST", /image_to_video$/), 0);
  await playground.page.unroute(storage);
  await playground.run();
  await playground.reaches("SUCCEEDED");
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
