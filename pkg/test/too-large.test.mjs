// Servers that do not accept a large file: with a 413, or by the end of the connection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, failure, serve } from "./support/client.mjs";

const LARGE = 3_000_000;

/** Starts a gateway whose storage refuses files in this way. Counts what it receives. */
async function start(t, refuse) {
  const seen = { puts: 0, gets: 0, url: "" };
  seen.url = await serve(t, (request, response) => {
    const { method, url } = request;
    if (method === "PUT") {
      seen.puts += 1;
      return refuse(request, response);
    }
    request.resume();
    if (method === "GET") {
      seen.gets += 1;
      return response.writeHead(404).end();
    }
    const data = { file_id: "f", upload_url: `${seen.url}/put` };
    assert.match(url, /upload_urls$/);
    return response.end(JSON.stringify({ code: 0, message: "ok", data }));
  });
  return seen;
}

const upload = async (url, size = LARGE) =>
  (await connect({ url })).upload(
    new Blob([new Uint8Array(size)], { type: "image/png" }),
    { maxRetries: 2 },
  );

test("a 413 without a code is told as too large, and not repeated", async (t) => {
  const seen = await start(t, (_, response) =>
    response.writeHead(413, { "content-type": "text/html" }).end("<h1>413"),
  );
  const error = await failure(upload(seen.url), "upload_failed");
  assert.deepEqual(
    [error.status, error.reason, error.retryable, seen.puts],
    [413, "file_too_large", false, 1],
  );
  assert.equal(
    error.message,
    "the file is too large for the server that receives it",
  );
  assert.match(error.hint, /client_max_body_size/);
});

test("a connection that ends during a large file is told as too large, if the server responds otherwise", async (t) => {
  const seen = await start(t, ({ socket }) => socket.resetAndDestroy());
  const error = await failure(upload(seen.url), "upload_failed");
  assert.deepEqual(
    [error.status, error.reason, error.retryable, seen.puts, seen.gets],
    [undefined, "file_too_large", false, 2, 1],
  );
});

test("a connection that ends during a small file is only lost", async (t) => {
  const seen = await start(t, ({ socket }) => socket.resetAndDestroy());
  const error = await failure(upload(seen.url, 9), "upload_failed");
  assert.deepEqual(
    [error.reason, error.retryable, seen.puts, seen.gets],
    [undefined, true, 3, 0],
  );
});

test("a 413 to a create is told as too large, and not repeated", async (t) => {
  let creates = 0;
  const url = await serve(t, (request, response) => {
    creates += 1;
    request.resume();
    response.writeHead(413).end("<h1>413");
  });
  const media = await connect({ url });
  const error = await failure(
    media.textToImage({ prompt: "p" }),
    "unreadable",
    "not_sent",
  );
  assert.deepEqual(
    [error.status, error.reason, creates],
    [413, "body_too_large", 1],
  );
  assert.equal(error.message, "the request is too large for the gateway");
});
