// A gateway with an invalid setting serves nothing, and the error names the setting.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld } from "../support/world.mjs";

for (const [setting, value, message] of /** @type {const} */ ([
  ["SESSION_SECRET", "canary-short", /SESSION_SECRET/],
  ["SESSION_NOT_BEFORE", 1_900_000_000, /BEFORE is not text; .* in quotes/],
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
