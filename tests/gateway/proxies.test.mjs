// Uploads through a proxy with a path prefix.
import assert from "node:assert/strict";
import { createServer, request as send } from "node:http";
import { test } from "node:test";
import { connect } from "mediagate";
import { picture } from "../support/fixtures.mjs";
import { listen } from "../support/listen.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";

const photo = () =>
  new File([picture(16, 16)], "photo.png", { type: "image/png" });

/** Removes the background of a photo. */
async function process(url) {
  const media = await connect({ url, token: token() });
  const task = await media.backgroundRemoval({ file_id: photo() });
  return task.done();
}

test("relayed uploads work behind a path", async (t) => {
  const stack = await startStack({
    flags: ["--task-seconds", "0.1"],
    settings: { UPLOAD_MODE: "relay" },
    assets: false,
  });
  t.after(stack.stop);
  const { hostname, port } = new URL(stack.url);
  const seen = [];
  const site = createServer((request, response) => {
    seen.push(request.url);
    const path = request.url.replace(/^\/media\//, "/");
    if (path === request.url) return response.writeHead(404).end();
    const { method, headers } = request;
    const passed = send({ hostname, port, path, method, headers }, (answer) =>
      answer.pipe(response.writeHead(answer.statusCode, answer.headers)),
    );
    request.pipe(passed);
  });
  const url = await listen(site);
  t.after(() => {
    site.closeAllConnections();
    site.close();
  });
  for (const base of [`${url}/media`, `${url}/media/`]) {
    const { outputs } = await process(base);
    assert.equal(outputs.length, 1);
  }
  assert.ok(seen.some((path) => path.startsWith("/media/api/app/v1/uploads/")));
  assert.ok(seen.every((path) => path.startsWith("/media/")));
});
