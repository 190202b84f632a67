// The playground before media services whose dialects no file describes. The gateway has the
// settings that the probe finds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { startStack } from "../support/stack.mjs";
import { file, Playground, shownSize } from "./playground.mjs";

/**
 * Generated dialects, with the way that each sends uploads, and settings that no exchange shows.
 */
const SEEDS = {
  // A form with a policy. The names in the request's body appear only in refusals.
  1: {
    method: "POST",
    path: /^\/uploads\//,
    settings: { UPSTREAM_MODELS_PATH: "/pantry/engines" },
  },
  // Signed headers as a list, and the key, so that the gateway relays.
  12: { method: "PUT", path: /^\/api\/app\/v1\/uploads\// },
  // Names in an object, models by id, and states without the document's words.
  10: { method: "PUT", path: /^\/uploads\// },
};

for (const [seed, { settings, ...upload }] of Object.entries(SEEDS)) {
  test(`in the dialect of seed ${seed}, pictures are uploaded, processed and drawn`, async (t) => {
    const flags = ["--task-seconds", "1", "--dialect", `seed=${seed}`];
    const stack = await startStack({ flags, settings, probed: true });
    t.after(() => stack.stop());
    const browser = await startBrowser();
    t.after(() => browser.close());
    const playground = await Playground.open(
      browser,
      stack.url,
      "background_removal",
    );
    await playground.choose(
      "file_id",
      file("a.png", "image/png", picture(64, 48)),
    );
    await playground.run();
    await playground.reaches("SUCCEEDED");
    assert.deepEqual(await shownSize(playground.result), [64, 48]);
    assert.equal(playground.count(upload.method, upload.path), 1);

    await playground.go("text_to_image");
    await playground.fill("prompt", "a lighthouse");
    await playground.fill("width", "80");
    await playground.fill("height", "60");
    await playground.run();
    await playground.page.locator(".task").nth(1).waitFor();
    await playground.reaches("SUCCEEDED");
    assert.deepEqual(await shownSize(playground.result), [80, 60]);
    assert.deepEqual(playground.pageErrors, []);
  });
}
