// Other settings of a gateway, and other responses of an upstream.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { startStack } from "../support/stack.mjs";
import { serve } from "../support/transfers.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { eventually, file, Playground, shownSize } from "./playground.mjs";
import { readTasks } from "./tasks.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/**
 * Opens a page of a stack of its own.
 *
 * @param {any} t
 * @param {import("../support/stack.mjs").Options & { permissions?: string[] }} options
 * @param {string} capability
 */
async function open(t, { permissions, ...options }, capability) {
  const stack = await startStack({
    ...options,
    flags: ["--task-seconds", "0.5", ...(options.flags ?? [])],
  });
  t.after(() => stack.stop());
  const playground = await Playground.open(browser, stack.url, capability, {
    permissions,
  });
  t.after(() => playground.close());
  return { playground, stack };
}

test("with UPLOAD_MODE=relay, the bytes go through the gateway and not to the storage's own host", async (t) => {
  const { playground } = await open(
    t,
    { settings: { UPLOAD_MODE: "relay" } },
    "background_removal",
  );
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(120, 80)),
  );
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(await shownSize(playground.result), [120, 80]);
  const put = playground.requests.find((request) => request.method === "PUT");
  assert.match(put.path, /^\/api\/app\/v1\/uploads\//);
  assert.match(put.headers.authorization, /^Bearer /);
});

for (const form of ["data", "bare"]) {
  test(`a picture without a task (${form}) is shown, also after a reload`, async (t) => {
    const { playground } = await open(
      t,
      { flags: ["--text-to-image", form] },
      "text_to_image",
    );
    await playground.fill("prompt", "a lighthouse");
    await playground.fill("width", "96");
    await playground.fill("height", "64");
    await playground.run();
    await playground.reaches("SUCCEEDED");
    assert.deepEqual(await shownSize(playground.result), [96, 64]);
    // A reload would end a write that has only begun, and then the create would be repeated with
    // its key.
    await readTasks(playground.page);
    await playground.page.reload();
    assert.deepEqual(await shownSize(playground.result), [96, 64]);
    assert.equal(playground.count("POST", /text_to_image$/), 1);
  });
}

/** Pastes a text while no input has the focus. */
const paste = (page, text) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const options = { bubbles: true, clipboardData };
    document.body.dispatchEvent(new ClipboardEvent("paste", options));
  }, text);

test("the gateway loads a file from its address, and the page says why it does not", async (t) => {
  const photo = picture(120, 80);
  const host = await serve(({ url }, response) => {
    if (url !== "/photo.png") return response.writeHead(404).end();
    const headers = { "content-type": "image/png" };
    return response
      .writeHead(200, { ...headers, "content-length": photo.length })
      .end(photo);
  });
  t.after(() => host.stop());
  const { playground } = await open(
    t,
    {
      settings: { INPUT_HOSTS: new URL(host.url).host },
      permissions: ["clipboard-read", "clipboard-write"],
    },
    "background_removal",
  );
  const { page } = playground;
  const address = `${host.url}/photo.png`;
  const field = playground.field("file_id");
  const item = field.locator(".item .about");
  await field.getByRole("button", { name: "Paste an address" }).click();
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
  await page.getByRole("button", { name: "Remove gone.png" }).click();

  await paste(page, address);
  await item.getByText("photo.png").waitFor();
  await playground.written();
  await page.reload();
  await item.getByText("photo.png").waitFor();
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Show the code" }).click();
  const code = page.getByRole("dialog").locator("pre");
  assert.ok((await code.innerText()).includes(`{ url: "${address}" },`));
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Add as a step" }).click();
  await page.locator(".draft .what").getByText("photo.png").waitFor();
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(await shownSize(playground.result), [120, 80]);

  await page.getByRole("button", { name: "Remove photo.png" }).click();
  await page.getByRole("button", { name: "Edit and run again" }).click();
  await item.getByText("photo.png").waitFor();
  const other = await page.context().newPage();
  await other.goto(link);
  await other.locator(".item .about").getByText("photo.png").waitFor();
  assert.deepEqual(
    playground.pageErrors.filter((message) => !/status of/.test(message)),
    [],
  );
});

test("if a model needs a paid plan, the page says so", async (t) => {
  const { playground } = await open(
    t,
    { flags: ["--plan", "free"] },
    "image_to_video",
  );
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(16, 16)),
  );
  await playground.fill("prompt", "slow push in");
  await playground.run();
  const { code, text } = await playground.failure();
  assert.equal(code, "paid_plan_required");
  assert.match(text, /plan/i);
});

describe("a misbehaving upstream", () => {
  const responses = {
    "an invalid list of issues": {
      status: 400,
      json: {
        code: 12,
        message: "no",
        data: { errors: ["bad", null, { path: 7 }] },
      },
    },
    "a task without an id": {
      json: { code: 0, message: "ok", data: { task: { state: "QUEUED" } } },
    },
    "a code that is a string": { json: { code: "0", message: "ok", data: {} } },
    "a body that is an array": { json: [1, 2, 3] },
  };
  for (const [name, response] of Object.entries(responses)) {
    test(`${name} is shown as an error, and the page still works`, async (t) => {
      const upstream = await startUpstream(() => response);
      t.after(() => upstream.stop());
      const { playground } = await open(
        t,
        { settings: { UPSTREAM_BASE_URL: upstream.url } },
        "text_to_image_turbo",
      );
      await playground.fill("prompt", "a paper boat");
      await playground.run();
      const { text } = await playground.failure();
      assert.doesNotMatch(text, /undefined|\[object/);
      await playground.go("merge_pdf");
      assert.deepEqual(
        playground.pageErrors.filter((message) => !/status of/.test(message)),
        [],
      );
    });
  }
});
