// The example of a Worker that embeds the gateway. It has its own authentication, and nothing else
// changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EMBEDDED, startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const CREATE = "generate/image/text_to_image_turbo";

test("an embedding Worker authenticates its users, and the gateway does the rest", async () => {
  const upstream = await startUpstream(() => ({
    json: { code: 0, data: { task: { id: "t", status: "QUEUED" } } },
  }));
  const settings = {
    UPSTREAM_BASE_URL: upstream.url,
    PROXY_SECRET: "proxy-secret",
  };
  const gateway = await startGateway(settings, { build: EMBEDDED });
  const api = (path, headers, body) =>
    request(`${gateway.url}/api/app/v1/${path}`, {
      bearer: null,
      headers,
      body,
    });
  const as = (user, secret = "proxy-secret") => ({
    "x-user": user,
    "x-proxy-secret": secret,
  });
  try {
    assert.equal(
      await (await fetch(`${gateway.url}/`)).text(),
      "the app's own pages",
    );
    for (const unauthenticated of [
      {},
      as("ann", "guess"),
      as(""),
      { authorization: `Bearer ${token()}` },
    ]) {
      assert.equal(
        (await api(CREATE, unauthenticated, { prompt: "p" })).status,
        401,
      );
    }
    assert.equal(upstream.seen.length, 0);
    const created = await api(CREATE, as("ann"), { prompt: "p" });
    assert.equal(created.status, 200, created.text);
    assert.match(created.headers.get("ratelimit"), /^"creates";r=19;/);
    const { id } = created.data.task;
    assert.equal((await api(`generate/tasks/${id}`, as("ann"))).status, 200);
    assert.equal(
      (await api(`generate/tasks/${id}`, as("ben"))).status,
      404,
      "an id is valid for its owner only",
    );
    assert.equal(
      (
        await api("process/asset/merge_pdf", as("ann"), {
          input_file_ids: ["a"],
        })
      ).status,
      403,
      "the scope is enforced",
    );
    assert.equal(
      (
        await api(
          CREATE,
          { ...as("ann"), origin: "https://evil.example" },
          { prompt: "p" },
        )
      ).status,
      403,
    );
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
});
