// Runs under `wrangler dev`, which reuses connections. A refused body must not break the next
// request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect } from "mediagate";
import { picture } from "../support/fixtures.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { KEY, SMALL, startProvider } from "../support/module/provider.mjs";
import { openRaw } from "../support/raw.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { clientOf, TURBO, taskResponse } from "../support/world.mjs";
import { startModuleInWrangler, startWrangler } from "../support/wrangler.mjs";

const MODULE = fileURLToPath(
  new URL("../support/module/upstream.js", import.meta.url),
);

test("after a refused body the next request is served", async (t) => {
  const upstream = await startUpstream(() => taskResponse("QUEUED"));
  t.after(() => upstream.stop());
  const url = await startWrangler(t, {
    ...SETTINGS,
    UPSTREAM_BASE_URL: upstream.url,
  });
  const create = (options) => clientOf({ url }).create(undefined, options);
  const body = "x".repeat(3 << 20);
  for (let round = 0; round < 5; round++) {
    const large = await create({ body });
    assert.deepEqual(
      [large.status, large.data.reason, (await create()).status],
      [413, "body_too_large", 200],
    );
    const unknown = await create({ bearer: null, body });
    assert.deepEqual(
      [unknown.status, unknown.data.reason, (await create()).status],
      [401, "no_token", 200],
    );
  }
  const stall = async (authorization) => {
    const connection = await openRaw(url);
    t.after(() => connection.close());
    connection.send(
      `POST /api/app/v1/${TURBO} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${authorization}Content-Length: 900000\r\n\r\n`,
    );
    connection.send("x".repeat(800_000));
    return connection;
  };
  const known = await stall(`Authorization: Bearer ${token()}\r\n`);
  const unknown = await stall("");
  const first = await Promise.race([known.response, unknown.response]);
  assert.equal(
    first.status,
    401,
    "without a token, a body is not waited for as long as with one",
  );
  assert.equal((await create()).status, 200);
});

test("a module is a second Worker, with a bucket that is a binding", async (t) => {
  const provider = await startProvider();
  t.after(() => provider.stop());
  const url = await startModuleInWrangler(t, MODULE, {
    PROVIDER_URL: provider.url,
    PROVIDER_KEY: KEY,
  });
  const media = await connect({ url, token: token() });
  const file = new File([picture(16, 16)], "photo.png", { type: "image/png" });
  const task = await media.imageToVideo({ file_id: file, prompt: "move" });
  const { outputs } = await task.done();
  const response = await fetch(outputs[0].url);
  assert.equal((await response.arrayBuffer()).byteLength, SMALL);
  assert.equal(provider.jobs[0].files[0].first, 0x89);
});
