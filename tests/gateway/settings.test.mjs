// A gateway with an invalid setting serves nothing, and the error names the setting.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld } from "../support/world.mjs";

for (const [setting, value, message] of /** @type {const} */ ([
  ["UPSTREAM_API_KEY", "", /UPSTREAM_API_KEY/],
  ["SESSION_SECRET", "canary-short", /SESSION_SECRET/],
  ["ANONYMOUS_SESSIONS", "on", /ALLOWED_ORIGINS/],
  ["SESSION_NOT_BEFORE", 1_900_000_000, /BEFORE is not text; .* in quotes/],
  ["ALLOWED_ORIGINS", ["https://page.example"], /ORIGINS is not text; /],
  ["TENANT", null, /TENANT is not text; /],
])) {
  test(`a gateway with ${setting}=${JSON.stringify(value)} serves nothing`, async () => {
    const { send } = await startWorld(() => ({}), { [setting]: value });
    for (const path of ["/healthz", "/", "/session", "/api/app/v1/models"]) {
      const reply = await send(path);
      const { status, code, data, headers } = reply;
      assert.deepEqual([status, code, data.reason], [500, 99, "misconfigured"]);
      assert.match(reply.message, message);
      assert.ok(!reply.message.includes("canary"));
      assert.equal(headers.get("x-request-id"), data.request_id);
    }
  });
}

test("an unreachable upstream is a refusal, not a crash", async () => {
  const settings = { UPSTREAM_BASE_URL: "http://127.0.0.1:9" };
  const { api } = await startWorld(() => ({}), settings);
  const { status, data } = await api("models");
  assert.deepEqual([status, data.reason], [502, "unreachable"]);
});
