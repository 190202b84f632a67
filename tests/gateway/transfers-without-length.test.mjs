// An output without a length is moved if the storage accepts a file without one, within the same
// limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { sessionToken } from "../support/session.mjs";
import {
  BYTES,
  reasonOf,
  sha256,
  startTransfers,
} from "../support/transfers.mjs";

const LIMIT = BYTES.length;
const SETTINGS = {
  MAX_UPLOAD_BYTES: String(LIMIT),
  UPSTREAM_DIALECT: JSON.stringify({
    upload: { send: { without_length: true } },
  }),
};
const CHUNK_BYTES = 20_000;

const later = (milliseconds) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends the bytes in chunks, with a pause between them. */
const chunked = (pause) => async (_, response) => {
  response.writeHead(200, { "content-type": "video/mp4" });
  for (
    let at = 0;
    at < BYTES.length && !response.destroyed;
    at += CHUNK_BYTES
  ) {
    response.write(BYTES.subarray(at, at + CHUNK_BYTES));
    await later(pause);
  }
  response.end();
};

/** Sends a body of an encoding, with its length. */
const encoded = (encoding, body) => (_, response) =>
  response
    .writeHead(200, {
      "content-encoding": encoding,
      "content-length": body.length,
    })
    .end(body);

const GZIP = gzipSync(BYTES);

const HOST = {
  "/chunked.mp4": chunked(0),
  "/slow": chunked(500),
  "/slower": chunked(700),
  "/gzip": encoded("gzip", GZIP),
  "/br": encoded("br", brotliCompressSync(BYTES)),
  "/unknown": encoded("x-own", BYTES),
  "/half": encoded("gzip", GZIP.subarray(0, GZIP.length / 2)),
  "/no-gzip": encoded("gzip", BYTES),
  "/bomb": encoded("gzip", gzipSync(Buffer.alloc(50_000_000))),
  "/empty": (_, response) => response.writeHead(200).end(),
  "/longer": (_, response) =>
    response.writeHead(200).end(Buffer.concat([BYTES, BYTES.subarray(0, 1)])),
  "/endless": async (_, response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write(BYTES);
      await later(5);
    }
  },
  "/interrupted": (_, response) =>
    response
      .writeHead(200)
      .write(BYTES, () => setTimeout(() => response.destroy(), 200)),
  "/stalled": (_, response) =>
    response.writeHead(200).write(BYTES.subarray(0, 10)),
};

/** Parses the form in a stored upload. */
const formOf = ({ body, headers }) =>
  new Response(body, {
    headers: { "content-type": headers["content-type"] },
  }).formData();

test("an output without a length is moved byte for byte, at an upload URL without a size", async (t) => {
  const { create, move, storage, uploads, fields } = await startTransfers(
    t,
    HOST,
    { settings: SETTINGS },
  );
  const moved = await move(await create("chunked.mp4"));
  assert.deepEqual(
    [moved.status, moved.data?.size],
    [200, BYTES.length],
    moved.text,
  );
  assert.deepEqual(uploads, [
    { file_name: "chunked.mp4", content_type: "video/mp4" },
  ]);
  const [{ method, headers, hash }] = storage.stored;
  assert.deepEqual(
    [method, headers["content-type"], hash],
    ["PUT", "video/mp4", sha256(BYTES)],
  );
  assert.deepEqual(
    [headers["content-length"], headers["transfer-encoding"]],
    [undefined, "chunked"],
  );

  fields.key = "k/1";
  const posted = await move(await create("gzip"));
  assert.deepEqual(
    [posted.status, posted.data?.size],
    [200, BYTES.length],
    posted.text,
  );
  assert.deepEqual(
    [storage.stored[1].method, uploads[1].size],
    ["POST", undefined],
  );
  const form = await formOf(storage.stored[1]);
  assert.equal(form.get("key"), "k/1");
  const file = /** @type {File} */ (form.get("file"));
  assert.equal(sha256(Buffer.from(await file.arrayBuffer())), sha256(BYTES));
});

test("an output with a content encoding is moved decoded, or not at all", async (t) => {
  const { create, move, storage } = await startTransfers(t, HOST, {
    settings: SETTINGS,
  });
  for (const name of ["gzip", "br"]) {
    const moved = await move(await create(name));
    assert.deepEqual(
      [moved.status, moved.data?.size],
      [200, BYTES.length],
      name + moved.text,
    );
    assert.equal(storage.stored.at(-1).hash, sha256(BYTES), name);
  }
  for (const [name, expected] of [
    ["unknown", "output_unavailable"],
    ["half", "transfer_interrupted"],
    ["no-gzip", "transfer_interrupted"],
    ["bomb", "file_too_large"],
  ]) {
    assert.equal(reasonOf(await move(await create(name))), expected, name);
  }
  assert.equal(storage.stored.length, 2);
});

for (const [how, form] of Object.entries({
  "as it is": {},
  "in a form": { key: "k" },
})) {
  test(`an output that is empty, too long, interrupted or stalled leaves no file: ${how}`, async (t) => {
    const { create, moveToEnd, storage, fields } = await startTransfers(
      t,
      HOST,
      { settings: SETTINGS },
    );
    Object.assign(fields, form);
    for (const [name, expected] of [
      ["empty", "file_too_large"],
      ["longer", "file_too_large"],
      ["endless", "file_too_large"],
      ["interrupted", "transfer_interrupted"],
      ["stalled", "transfer_stalled"],
    ]) {
      const reply = await moveToEnd(await create(name));
      assert.equal(reasonOf(reply), expected, name);
    }
    assert.deepEqual(storage.stored, [], "the storage got no complete file");
    // The margin is for the form's other fields and boundaries.
    for (const bytes of storage.aborted)
      assert.ok(bytes <= LIMIT + 1000, `${bytes} bytes`);
    assert.ok(storage.aborted.some((size) => size > LIMIT / 2));
  });
}

test("a response of the storage before the end of the bytes counts only if it refuses", async (t) => {
  const { create, move, moveToEnd, storage } = await startTransfers(t, HOST, {
    settings: SETTINGS,
  });
  storage.isHasty = true;
  assert.equal(
    reasonOf(await move(await create("interrupted"))),
    "transfer_interrupted",
  );
  const task = await create("slow");
  assert.deepEqual(
    Object.keys((await move(task)).data),
    ["loaded"],
    "the rest is waited for",
  );
  assert.equal((await moveToEnd(task)).data.size, BYTES.length);
  while (storage.stored.length === 0) await sleep(20);
  assert.equal(storage.stored.at(-1).hash, sha256(BYTES));
  storage.refusesWith = 500;
  // A request during the wait for the rest would report the progress.
  assert.equal(reasonOf(await move(await create("slower"))), "storage_refused");
});

test("an anonymous caller's file without a length counts as one of the largest size", async (t) => {
  const origin = "https://app.example.com";
  const anonymous = {
    ANONYMOUS_SESSIONS: "on",
    ALLOWED_ORIGINS: origin,
    ANONYMOUS_SCOPE: "text_to_image_turbo upload",
    ANONYMOUS_UPLOAD_BYTES: String(2 * LIMIT - 1),
  };
  const { gateway, create, move, storage } = await startTransfers(t, HOST, {
    settings: { ...SETTINGS, ...anonymous },
  });
  const bearer = await sessionToken(gateway, origin);
  const next = async (name) =>
    move(await create(name, { bearer }), 0, { bearer });
  assert.equal((await next("chunked.mp4")).status, 200);
  assert.equal((await next("gzip")).data.limit, "upload_bytes");
  assert.equal(storage.stored.length, 1);
});
