// The example of a Worker that embeds the gateway. It has its own authentication, and nothing else
// changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EMBEDDED } from "../../support/gateway.mjs";
import { token } from "../../support/token.mjs";
import { startWorld, TURBO, taskResponse } from "../../support/world.mjs";

test("an embedding Worker authenticates its users, and the gateway does the rest", async () => {
  const { upstream, url, api } = await startWorld(
    () => taskResponse("QUEUED"),
    { PROXY_SECRET: "proxy-secret" },
    { build: EMBEDDED },
  );
  const send = (path, headers, body) =>
    api(path, { bearer: null, headers, body });
  const as = (user, secret = "proxy-secret") => ({
    "x-user": user,
    "x-proxy-secret": secret,
  });
  assert.equal(await (await fetch(`${url}/`)).text(), "the app's own pages");
  for (const unauthenticated of [
    {},
    as("ann", "guess"),
    as(""),
    { authorization: `Bearer ${token()}` },
  ]) {
    assert.equal(
      (await send(TURBO, unauthenticated, { prompt: "p" })).status,
      401,
    );
  }
  assert.equal(upstream.seen.length, 0);
  const created = await send(TURBO, as("ann"), { prompt: "p" });
  assert.equal(created.status, 200, created.text);
  assert.match(created.headers.get("ratelimit"), /^"creates";r=19;/);
  const { id } = created.data.task;
  assert.equal((await send(`generate/tasks/${id}`, as("ann"))).status, 200);
  assert.equal(
    (await send(`generate/tasks/${id}`, as("ben"))).status,
    404,
    "an id is valid for its owner only",
  );
  assert.equal(
    (
      await send("process/asset/merge_pdf", as("ann"), {
        input_file_ids: ["a"],
      })
    ).status,
    403,
    "the scope is enforced",
  );
  assert.equal(
    (
      await send(
        TURBO,
        { ...as("ann"), origin: "https://evil.example" },
        { prompt: "p" },
      )
    ).status,
    403,
  );
});
