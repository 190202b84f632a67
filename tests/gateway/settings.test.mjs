// A gateway with an invalid setting serves nothing, and the error names the setting.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";

const GOOD = { UPSTREAM_BASE_URL: "http://127.0.0.1:9" };
for (const [setting, value] of /** @type {const} */ ([
  ["UPSTREAM_API_KEY", ""],
  ["UPSTREAM_API_KEY", "canary-short-15"],
  ["SESSION_SECRET", "canary-short"],
  ["SEAL_SECRET", ""],
  ["ALLOWED_ORIGINS", "*"],
  ["ANONYMOUS_SESSIONS", "on"],
])) {
  test(`a gateway with ${setting}=${value || "(missing)"} serves nothing`, async () => {
    const gateway = await startGateway({ ...GOOD, [setting]: value });
    try {
      for (const path of ["/healthz", "/", "/session", "/api/app/v1/models"]) {
        const response = await fetch(gateway.url + path, {
          headers: { authorization: `Bearer ${token()}` },
        });
        const { code, message, data } = await response.json();
        assert.deepEqual(
          [response.status, code, data.reason],
          [500, 99, "misconfigured"],
        );
        assert.match(
          message,
          new RegExp(
            setting === "ANONYMOUS_SESSIONS" ? "ALLOWED_ORIGINS" : setting,
          ),
        );
        assert.ok(!message.includes("canary"));
        assert.equal(response.headers.get("x-request-id"), data.request_id);
      }
    } finally {
      await gateway.stop();
    }
  });
}

test("an unreachable upstream is a refusal, not a crash", async () => {
  const gateway = await startGateway(GOOD);
  try {
    const response = await fetch(`${gateway.url}/api/app/v1/models`, {
      headers: { authorization: `Bearer ${token()}` },
    });
    assert.deepEqual(
      [response.status, (await response.json()).data.reason],
      [502, "unreachable"],
    );
  } finally {
    await gateway.stop();
  }
});

test("a setting that is not a string is an error", async () => {
  for (const [setting, value] of Object.entries({
    SESSION_NOT_BEFORE: 1_900_000_000,
    ALLOWED_ORIGINS: ["https://page.example"],
    MCP_REVOKED_TOKENS: { a: 1 },
    ANONYMOUS_SESSIONS: false,
    TENANT: null,
  })) {
    const gateway = await startGateway({ ...GOOD, [setting]: value });
    try {
      const response = await fetch(`${gateway.url}/healthz`);
      const { message, data } = await response.json();
      assert.deepEqual(
        [response.status, data.reason],
        [500, "misconfigured"],
        setting,
      );
      assert.match(
        message,
        new RegExp(`${setting} is no text; put its value in quotes`),
      );
    } finally {
      await gateway.stop();
    }
  }
});
