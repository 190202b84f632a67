// Each tab has its own form, which stays usable while it uploads, and stores each of its files
// once. An upload outlives its form and its page, and a refusal is shown on every form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BOAT, eventually, hasFocus, Playground, png } from "./playground.mjs";
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

test("a form can be run again while it uploads, and stores a file of two runs once", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const large = png(700, 700, "large.png");
  await playground.choose("file_id", large);
  await playground.run();
  await playground.task.getByText("uploading").waitFor();
  await playground.fill("title", "the second one");
  await playground.submit();
  await page.locator('.task[data-state="SUCCEEDED"]').nth(1).waitFor();
  assert.equal(playground.count("POST", /upload_urls$/), 1);
  await playground.reload();
  await playground.has("file_id", "large.png");
  assert.deepEqual(await storedFiles(playground), [large.buffer.length]);
  await playground.press("Reset");
  await playground.has("file_id");
});

test("files beyond the limit are not stored, and the page says so", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  const { page } = playground;
  await page.locator("[data-field=input_file_id] .drop").evaluate((zone) => {
    const part = new Blob([new Uint8Array(20_000_000)]);
    const huge = new File(Array(51).fill(part), "a.wav", { type: "audio/wav" });
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(huge);
    zone.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer }));
  });
  await page
    .getByText("stores no more files: 1.0 GB at most")
    .first()
    .waitFor();
  assert.deepEqual(await storedFiles(playground), []);
  // The page reads what is stored when it opens.
  await playground.reload();
  await page.getByText("How this page works").press("Enter");
  await page.getByText("This browser stores 0 B of them").waitFor();
});

test("a swipe over the picture of a region scrolls, and a region without area is none", async (t) => {
  const playground = await open(t, "background_removal", {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  const { page } = playground;
  await playground.choose("file_id", png(160, 120));
  const shown = page.locator(".drawing img");
  await shown.waitFor();
  const touchAction = () =>
    shown.evaluate((image) => getComputedStyle(image).touchAction);
  assert.equal(await touchAction(), "auto");
  await playground.press("Draw on the picture");
  await eventually(touchAction, "none");
  for (const side of ["x", "y", "width", "height"])
    await page.getByLabel(side, { exact: true }).fill("0");
  await page
    .getByText("Without a width and a height, no region is sent.")
    .waitFor();
  const sent = page.waitForRequest((request) =>
    /background_removal$/.test(request.url()),
  );
  await playground.run();
  assert.equal((await sent).postDataJSON().region, undefined);
});

test("the width comes before the height, both have presets, and their ratio can be kept", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const sides = page.locator(".form input.number:visible");
  const size = () =>
    sides.evaluateAll((inputs) =>
      inputs.slice(0, 2).map(({ name, value }) => `${name} ${value}`),
    );
  await playground.press(/^Wide/);
  await eventually(size, ["width 1280", "height 720"]);
  await page.getByLabel("Keep the ratio").press("Space");
  await page.getByRole("checkbox", { checked: true }).waitFor();
  await playground.fill("width", "640");
  await eventually(size, ["width 640", "height 360"]);
  await playground.fill("height", "180");
  await eventually(size, ["width 320", "height 180"]);
});

const isCreate = (request) =>
  request.method() === "POST" && /\/(generate|process)\//.test(request.url());

/** Returns a picture whose upload takes 10 s. */
const large = () => png(900, 900, "large.png");

test("an upload is listed at once, goes on behind another form, and starts again after a reload", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const creates = [];
  page.on(
    "request",
    (request) =>
      isCreate(request) && creates.push(request.headers()["idempotency-key"]),
  );
  const dialogs = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await playground.choose("file_id", large());
  await playground.run();
  await playground.task.getByText("uploading").waitFor();
  await playground.task.getByText(/^\d+ %$/).waitFor();
  await playground.field("file_id").locator("progress").waitFor();
  await hasFocus(page.locator(".form button.primary[aria-disabled=true]"));
  await playground.go("merge_pdf");
  assert.match(await playground.task.innerText(), /Uploading/);
  await page.reload();
  assert.deepEqual(dialogs, ["beforeunload"]);
  await playground.task.getByText("uploading").waitFor();
  await playground.reaches("SUCCEEDED");
  assert.equal(creates.length, 1);
  assert.equal(await page.locator(".task").count(), 1);
  await page.reload();
  assert.equal(dialogs.length, 1);
});

test("a browser without locks uploads once, however many tabs show the task", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const creates = [];
  let uploads = 0;
  page.context().on("request", (request) => {
    if (isCreate(request)) creates.push(request.headers()["idempotency-key"]);
    if (request.method() === "PUT") uploads += 1;
  });
  await page
    .context()
    .addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "locks", { value: undefined }),
    );
  await playground.reload();
  await playground.choose("file_id", large());
  await playground.run();
  await playground.task.getByText(/^\d+ %$/).waitFor();
  const other = await page.context().newPage();
  await other.goto(playground.url);
  await other.locator(".task").getByText("uploading").waitFor();
  await playground.reaches("SUCCEEDED");
  await other.locator('.task[data-state="SUCCEEDED"]').waitFor();
  assert.equal(creates.length, 1);
  assert.equal(uploads, 1);
});

test("an upload is cancelled in the list, and its task is not listed any more", async (t) => {
  const playground = await open(t, "background_removal");
  await playground.choose("file_id", large());
  await playground.run();
  await playground.press("Cancel Remove background", playground.task);
  await playground.task.waitFor({ state: "detached" });
  await hasFocus(playground.tasksHeading);
  await playground.button("Run", { exact: true }).waitFor();
  assert.equal(playground.count("POST", /background_removal$/), 0);
});

test("if the browser did not store the files, the page says so after a reload during the upload", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await page.addInitScript(() => {
    const { put } = IDBObjectStore.prototype;
    const hasFile = (value) =>
      value instanceof File ||
      (Object(value) === value && Object.values(value).some(hasFile));
    IDBObjectStore.prototype.put = function (value, key) {
      if (hasFile(value))
        throw new DOMException("files are not stored", "DataCloneError");
      return put.call(this, value, key);
    };
  });
  await playground.reload();
  await playground.choose("file_id", large());
  await playground.run();
  await playground.task.getByText(/^\d+ %$/).waitFor();
  await page.reload();
  await playground.task
    .getByText("this browser did not store the files")
    .waitFor();
  await playground.task.getByText("not sent").waitFor();
  assert.equal(playground.count("POST", /background_removal$/), 0);
});

test("a refusal is a notice if another form is on the screen", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const waiting = [];
  await page.route(/turbo$/, (route) => void waiting.push(route));
  await playground.fillIn({ ...BOAT, title: "emulate: code=1401" });
  await playground.run();
  await eventually(() => waiting.length, 1);
  await playground.go("merge_pdf");
  await waiting[0].continue();
  const notice = page.locator(".notice");
  await notice
    .getByText(
      "was not created, and costs nothing. The account has too few credits",
    )
    .waitFor();
  assert.equal(await page.locator(".task").count(), 0);
  await playground.press("Show the form", notice);
  assert.equal((await playground.failure()).code, "insufficient_credits");
});
