// A server that ends the connection during a large file: the client finds out by another request
// that the server responds otherwise.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, failure, serve } from "./support/client.mjs";

test("a connection that ends during a large file is told as too large, if the server responds otherwise", async (t) => {
  const seen = { puts: 0, gets: 0 };
  const url = await serve(t, (request, response) => {
    if (request.method === "PUT") {
      seen.puts += 1;
      return request.socket.resetAndDestroy();
    }
    request.resume();
    if (request.method === "GET") {
      seen.gets += 1;
      return response.writeHead(404).end();
    }
    const data = { file_id: "f", upload_url: `${url}/put` };
    return response.end(JSON.stringify({ code: 0, message: "ok", data }));
  });
  const media = await connect({ url });
  const large = new Blob([new Uint8Array(3_000_000)], { type: "image/png" });
  const upload = media.upload(large, { maxRetries: 2 });
  const error = await failure(upload, "upload_failed");
  assert.deepEqual(
    [error.status, error.reason, error.retryable, seen],
    [undefined, "file_too_large", false, { puts: 2, gets: 1 }],
  );
  assert.match(error.hint, /client_max_body_size/);
});
