// The playground's files: the encoding that a caller gets, and the headers about it.
import assert from "node:assert/strict";
import { test } from "node:test";
import files from "../../gateway/src/worker/files.js";

const FILES = {
  "/app.js": {
    type: "text/javascript; charset=utf-8",
    etag: '"tag"',
    hashed: false,
    encodings: ["br", "gzip"],
  },
  "/photo.png": {
    type: "image/png",
    etag: '"tag"',
    hashed: false,
    encodings: [],
  },
};

/** A folder, whose files have their own path as their content. */
const DISK = {
  fetch: async ({ url, method }) => {
    const { pathname } = new URL(url);
    return new Response(method === "HEAD" ? null : pathname, {
      headers: { "content-length": String(pathname.length) },
    });
  },
};
const ENCODED = DISK;

/**
 * Requests a file with this `Accept-Encoding`.
 *
 * @param {string | undefined} accepted
 * @param {RequestInit & { path?: string }} [options]
 */
async function get(accepted, { path = "/app.js", ...options } = {}) {
  const request = new Request(`http://gateway.test${path}`, options);
  if (accepted !== undefined) request.headers.set("accept-encoding", accepted);
  const response = await files.fetch(request, { FILES, DISK, ENCODED });
  const of = (name) => response.headers.get(name);
  return {
    status: response.status,
    body: await response.text(),
    encoding: of("content-encoding"),
    length: of("content-length"),
    vary: of("vary"),
    etag: of("etag"),
  };
}

test("a file has the encoding that the caller prefers, the smaller one of two that it likes as well", async () => {
  for (const [accepted, encoding] of [
    [undefined, null],
    ["", null],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["*", "br"],
    ["br;q=0, *;q=0.5", "gzip"],
    ["gzip;q=0.5, identity", null],
    ["deflate, zstd", null],
    ["*;q=0", null],
    ["identity;q=0", null],
    ["identity;q=0, gzip", "gzip"],
    ["br;q=high, ;;,", null],
  ]) {
    const { status, body, ...response } = await get(accepted);
    assert.equal(status, 200, accepted);
    assert.equal(response.encoding, encoding, accepted);
    assert.equal(body, encoding ? `/${encoding}/app.js` : "/app.js");
    assert.equal(response.vary, "accept-encoding");
  }
});

test("each encoding has its own tag, and a request of the headers gets all of them", async () => {
  const head = await get("br", { method: "HEAD" });
  assert.deepEqual(head, {
    status: 200,
    body: "",
    encoding: "br",
    length: "10",
    vary: "accept-encoding",
    etag: '"tag-br"',
  });
  const headers = { "if-none-match": 'W/"tag-br"' };
  const same = await get("br", { headers });
  assert.deepEqual(
    [same.status, same.etag, same.vary],
    [304, '"tag-br"', "accept-encoding"],
  );
  assert.equal((await get("gzip", { headers })).status, 200);
  assert.equal((await get(undefined, { headers })).status, 200);
});

test("a file of a compressed format is sent as it is", async () => {
  const picture = await get("br", { path: "/photo.png" });
  assert.deepEqual(
    [picture.body, picture.encoding, picture.vary, picture.etag],
    ["/photo.png", null, null, '"tag"'],
  );
});
