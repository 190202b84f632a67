// Other settings of a gateway, and other responses of an upstream.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { picture } from "../support/fixtures.mjs";
import { serve } from "../support/transfers.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { eventually, png, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { readTasks } from "./tasks.mjs";

const photo = picture(120, 80);
const host = await serve(({ url }, response) => {
  if (url !== "/photo.png") return response.writeHead(404).end();
  return response
    .writeHead(200, {
      "content-type": "image/png",
      "content-length": photo.length,
    })
    .end(photo);
});
after(() => host.stop());

const { open, scene } = suite({
  flags: ["--task-seconds", "0.5"],
  settings: { UPLOAD_MODE: "relay", INPUT_HOSTS: new URL(host.url).host },
});

/** The response of the misbehaving upstream. */
let response = {};
const upstream = await startUpstream(() => response);
after(() => upstream.stop());
const REFUSED =
  /^Text to image, turbo:\s+The provider refuses this content\s+No faces; none\.\s+Change the text or the files\./;
const misbehaving = suite({ settings: { UPSTREAM_BASE_URL: upstream.url } });

test("a picture without a task is shown, also after a reload", async (t) => {
  for (const form of ["data", "bare"]) {
    await scene({ text_to_image: form });
    const playground = await open(t, "text_to_image");
    await playground.make({ prompt: "a lighthouse", width: 96, height: 64 });
    assert.deepEqual(await shownSize(playground.result), [96, 64]);
    // A reload would end a write that has only begun, and then the create would be repeated with
    // its key.
    await readTasks(playground.page);
    await playground.reload();
    assert.deepEqual(await shownSize(playground.result), [96, 64]);
    await playground.readsHistory();
    assert.equal(playground.count("POST", /text_to_image$/), 1);
  }
});

/** Pastes a text while no input has the focus. */
const paste = (page, text) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const options = { bubbles: true, clipboardData };
    document.body.dispatchEvent(new ClipboardEvent("paste", options));
  }, text);

test("bytes go through the gateway, which also loads a file from its address, and the page says why it does not", async (t) => {
  const playground = await open(t, "background_removal", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { page } = playground;
  const address = `${host.url}/photo.png`;
  const field = playground.field("file_id");
  const item = field.locator(".item .about");
  await playground.press("Paste an address", field);
  const input = field.getByRole("textbox", { name: "Address of a file" });
  await input.fill(`${host.url}/gone.png`);
  await input.press("Enter");
  await eventually(
    () => item.innerText(),
    `gone.png\nfrom ${new URL(host.url).host}`,
  );
  await playground.run();
  await field.getByText("was not found at its address").waitFor();
  assert.equal(await page.locator(".form .failure").count(), 0);
  await playground.press("Remove gone.png", field);
  await playground.has("file_id");

  await paste(page, address);
  await playground.has("file_id", "photo.png");
  await playground.written();
  await playground.reload();
  await playground.has("file_id", "photo.png");
  await playground.moreOfForm("Copy a link");
  await page.getByText("Copied the link").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await playground.moreOfForm("Show the code");
  const code = page.getByRole("dialog").locator("pre");
  assert.ok((await code.innerText()).includes(`{ url: "${address}" },`));
  await playground.closeDialog();
  await playground.press("Add as a step");
  await page.locator(".draft .what").getByText("photo.png").waitFor();
  await playground.finish();
  assert.deepEqual(await shownSize(playground.result), [120, 80]);

  await playground.press("Remove photo.png", field);
  await playground.more("Edit and run again");
  await playground.has("file_id", "photo.png");
  const other = await page.context().newPage();
  await other.goto(link);
  await other.locator(".item .about").getByText("photo.png").waitFor();

  await playground.press("Remove photo.png", field);
  await playground.make({ file_id: png(60, 40) });
  assert.deepEqual(await shownSize(playground.result), [60, 40]);
  const put = playground.requests.find((request) => request.method === "PUT");
  assert.match(put.path, /^\/api\/app\/v1\/uploads\//);
  assert.match(put.headers.authorization, /^Bearer /);
  assert.deepEqual(
    playground.pageErrors.filter((message) => !/status of/.test(message)),
    [],
  );
});

test("a misbehaving upstream is shown as an error, and the page still works", async (t) => {
  const issues = ["bad", null, { path: 7 }];
  const responses = [
    {
      status: 400,
      json: { code: 12, message: "no", data: { errors: issues } },
    },
    // A task without an id.
    { json: { code: 0, message: "ok", data: { task: { state: "QUEUED" } } } },
    { json: { code: "0", message: "ok", data: {} } },
    { json: [1, 2, 3] },
    {
      status: 400,
      json: {
        code: 12,
        message: "No faces; none",
        data: { error: { reason: "content_refused" } },
      },
    },
  ];
  const playground = await misbehaving.open(t, "text_to_image_turbo");
  for (const [index, wrong] of responses.entries()) {
    response = wrong;
    await playground.fill("prompt", `a paper boat ${index}`);
    await playground.submit();
    const { text } = await playground.failure();
    assert.doesNotMatch(text, /undefined|\[object/);
    if (wrong === responses.at(-1)) assert.match(text, REFUSED);
    await playground.go("merge_pdf");
    await playground.go("text_to_image_turbo");
  }
  assert.deepEqual(
    playground.pageErrors.filter((message) => !/status of/.test(message)),
    [],
  );
});
