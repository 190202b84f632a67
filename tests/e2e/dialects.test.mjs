// The playground before media services whose dialects no file describes. The gateway has the
// settings that the probe finds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { png, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";

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
};

for (const [seed, { settings, ...upload }] of Object.entries(SEEDS)) {
  const flags = ["--task-seconds", "1", "--dialect", `seed=${seed}`];
  const { open } = suite({ flags, settings, probed: true });
  test(`in the dialect of seed ${seed}, pictures are uploaded, processed and drawn`, async (t) => {
    const playground = await open(t, "background_removal");
    await playground.make({ file_id: png(64, 48) });
    assert.deepEqual(await shownSize(playground.result), [64, 48]);
    assert.equal(playground.count(upload.method, upload.path), 1);

    await playground.go("text_to_image");
    await playground.make({ prompt: "a lighthouse", width: 80, height: 60 });
    assert.deepEqual(await shownSize(playground.result), [80, 60]);
    assert.deepEqual(playground.pageErrors, []);
  });
}
