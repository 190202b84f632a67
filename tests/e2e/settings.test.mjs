// Other settings of a gateway, and other responses of an upstream.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";
import { serve } from "../support/transfers.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { eventually, file, Playground, shownSize } from "./playground.mjs";
import { readTasks } from "./tasks.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** A page before a stack of its own. */
async function open(t, options, capability) {
  const stack = await startStack({
    ...options,
    flags: ["--task-seconds", "0.5", ...(options.flags ?? [])],
  });
  t.after(() => stack.stop());
  const playground = await Playground.open(browser, stack.url, capability);
  t.after(() => playground.close());
  return { playground, stack };
}

test("with UPLOAD_MODE=relay the bytes go through the gateway, and not to the storage's own host", async (t) => {
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
  const put = playground.requests.find((it) => it.method === "PUT");
  assert.match(put.path, /^\/api\/app\/v1\/uploads\//);
  assert.match(put.headers.authorization, /^Bearer /);
});

for (const form of ["data", "bare"]) {
  test(`text to image may respond without a task (${form}): the picture is shown, also after a reload`, async (t) => {
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
    // A reload ends a write that has only begun, and the create would be repeated with its key.
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

test("the gateway loads a file from its address for a signed-in session, and the page says why it does not", async (t) => {
  const photo = picture(120, 80);
  const host = await serve(({ url }, response) => {
    if (url !== "/photo.png") return response.writeHead(404).end();
    const headers = { "content-type": "image/png" };
    return response
      .writeHead(200, { ...headers, "content-length": photo.length })
      .end(photo);
  });
  t.after(() => host.stop());
  const options = { settings: { INPUT_HOSTS: new URL(host.url).host } };
  const { playground: anonymous, stack } = await open(
    t,
    options,
    "background_removal",
  );
  const address = `${host.url}/photo.png`;
  await paste(anonymous.page, address);
  await anonymous.page.getByText("only for a signed-in session").waitFor();
  const entry = { name: "Paste an address" };
  assert.equal(await anonymous.page.getByRole("button", entry).count(), 0);

  // The client stores a session where any page of the gateway finds it.
  const session = { token: token(), renewAt: Date.now() + 500_000 };
  const value = JSON.stringify(session);
  const stored = { name: `mediagate:${stack.url}`, value };
  const playground = await Playground.open(
    browser,
    stack.url,
    "background_removal",
    {
      permissions: ["clipboard-read", "clipboard-write"],
      storageState: {
        cookies: [],
        origins: [{ origin: stack.url, localStorage: [stored] }],
      },
    },
  );
  t.after(() => playground.close());
  const { page } = playground;
  const field = playground.field("file_id");
  const item = field.locator(".item .about");
  await field.getByRole("button", entry).click();
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
    playground.pageErrors.filter((it) => !/status of/.test(it)),
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
        playground.pageErrors.filter((it) => !/status of/.test(it)),
        [],
      );
    });
  }
});
