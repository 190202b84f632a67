// An upload outlives its form and its page, and a refusal is shown on every form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../support/fixtures.mjs";
import { file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite({
  flags: ["--task-seconds", "0.1"],
  uploadSpeed: 250_000,
});

const isCreate = (request) =>
  request.method() === "POST" && /\/(generate|process)\//.test(request.url());

/** Returns a picture whose upload takes 2 s, or 10 s with 900 pixels. */
const large = (side = 400) =>
  file("large.png", "image/png", picture(side, side));

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
  await playground.choose("file_id", large(700));
  await playground.run();
  await playground.task.getByText("uploading").waitFor();
  await playground.task.getByText(/^\d+ %$/).waitFor();
  await playground.field("file_id").locator("progress").waitFor();
  const button = page.locator(".form button.primary");
  assert.equal(
    await button.evaluate((element) => element === document.activeElement),
    true,
  );
  assert.equal(await button.getAttribute("aria-disabled"), "true");
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
  page
    .context()
    .on(
      "request",
      (request) =>
        isCreate(request) && creates.push(request.headers()["idempotency-key"]),
    );
  await page
    .context()
    .addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "locks", { value: undefined }),
    );
  await page.reload();
  await playground.connected();
  await playground.choose("file_id", large(900));
  await playground.run();
  await playground.task.getByText(/^\d+ %$/).waitFor();
  const other = await page.context().newPage();
  await other.goto(playground.url);
  await other.locator(".task").getByText("uploading").waitFor();
  await playground.reaches("SUCCEEDED");
  await other.locator('.task[data-state="SUCCEEDED"]').waitFor();
  assert.equal(creates.length, 1);
  assert.equal(playground.count("PUT", /./), 1);
});

test("an upload is cancelled in the list, and its task is not listed any more", async (t) => {
  const playground = await open(t, "background_removal");
  await playground.choose("file_id", large(900));
  await playground.run();
  await playground.task
    .getByRole("button", { name: "Cancel Remove background" })
    .press("Enter");
  await playground.task.waitFor({ state: "detached" });
  await playground.page
    .getByRole("button", { name: "Run", exact: true })
    .waitFor();
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
  await page.reload();
  await playground.connected();
  await playground.choose("file_id", large(900));
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
  await playground.fill("prompt", "a paper boat");
  await playground.fill("title", "emulate: code=1401 slow=4000");
  await playground.run();
  await playground.task.getByText("sending").waitFor();
  await playground.go("merge_pdf");
  const notice = page.locator(".notice");
  await notice
    .getByText(
      "was not created, and costs nothing. The account has too few credits",
    )
    .waitFor();
  assert.equal(await page.locator(".task").count(), 0);
  await notice.getByRole("button", { name: "Show the form" }).click();
  assert.equal((await playground.failure()).code, "insufficient_credits");
});
