// The example of a Worker that embeds the gateway: its own authentication counts, and nothing else changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EMBEDDED, startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const CREATE = "generate/image/text_to_image_turbo";

test("an embedding Worker lets in whom it knows, and the gateway does the rest", async () => {
  const upstream = await startUpstream(() => ({ json: { code: 0, data: { task: { id: "t", status: "QUEUED" } } } }));
  const settings = { UPSTREAM_BASE_URL: upstream.url, PROXY_SECRET: "proxy-secret" };
  const gateway = await startGateway(settings, { build: EMBEDDED });
  const ask = async (path, headers, body) => {
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const response = await fetch(`${gateway.url}/api/app/v1/${path}`, { ...init, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const as = (user, secret = "proxy-secret") => ({ "x-user": user, "x-proxy-secret": secret });
  try {
    assert.equal(await (await fetch(`${gateway.url}/`)).text(), "the app's own pages");
    for (const nobody of [{}, as("ann", "guess"), as(""), { authorization: `Bearer ${token()}` }]) {
      assert.equal((await ask(CREATE, nobody, { prompt: "p" })).status, 401);
    }
    assert.equal(upstream.seen.length, 0);
    const made = await ask(CREATE, as("ann"), { prompt: "p" });
    assert.equal(made.status, 200, made.text);
    assert.match(made.headers.get("ratelimit"), /^"creates";r=19;/);
    const { id } = JSON.parse(made.text).data.task;
    assert.equal((await ask(`generate/tasks/${id}`, as("ann"))).status, 200);
    assert.equal((await ask(`generate/tasks/${id}`, as("ben"))).status, 404, "ids are their owner's");
    assert.equal((await ask("process/asset/merge_pdf", as("ann"), { input_file_ids: ["a"] })).status, 403, "scope holds");
    assert.equal((await ask(CREATE, { ...as("ann"), origin: "https://evil.example" }, { prompt: "p" })).status, 403);
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
});
