// Other settings of a gateway, and other responses of an upstream.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { startStack } from "../support/stack.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { file, Playground, shownSize } from "./playground.mjs";
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
