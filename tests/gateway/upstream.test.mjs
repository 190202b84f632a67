// Whatever the upstream's response is, the caller gets an envelope and a fitting status, and never
// the API key.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { logged, SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startWorld } from "../support/world.mjs";

const KEY = SETTINGS.UPSTREAM_API_KEY;
const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";

const { upstream, gateway } = await startWorld(() => ({}), {
  MAX_BODY_BYTES: "8192",
  MAX_RESPONSE_BYTES: "8192",
  UPSTREAM_TIMEOUT_MS: "2000",
});
beforeEach(() => (upstream.seen.length = 0));

/** Sends a create, to which the upstream responds with this. */
const create = (upstreamResponse) => {
  upstream.respond = () => upstreamResponse;
  return request(gateway.url + CREATE, { body: { prompt: "p" } });
};

describe("codes", () => {
  for (const [code, status, outcome] of /** @type {const} */ ([
    [12, 400, "rejected"],
    [1404, 502, "unknown"],
  ])) {
    test(`code ${code} decides the status and the outcome, whatever the HTTP status is`, async () => {
      for (const http of [200, 400, 503]) {
        const json = { code, message: "said", data: null };
        const response = await create({ status: http, json });
        assert.deepEqual(
          [response.status, response.code, response.data.outcome],
          [status, code, outcome],
        );
        const isUnknown = response.data.reason === "outcome_unknown";
        assert.equal(isUnknown, outcome === "unknown");
      }
    });
  }

  test("an error's data is passed on, and an invalid API key is not reported as the caller's error", async () => {
    const plan = await create({
      json: {
        code: 1409,
        message: "paid plan required",
        data: { paid_plan_required: { plan: "Starter" } },
      },
    });
    assert.deepEqual(plan.data.paid_plan_required, { plan: "Starter" });
    const slow = await create({
      status: 429,
      headers: { "retry-after": "7" },
      json: { code: 16, message: "rate limit" },
    });
    assert.equal(slow.headers.get("retry-after"), "7");
    const blocked = await create({ status: 403, body: "<html>Blocked</html>" });
    assert.deepEqual(
      [blocked.data.reason, blocked.data.cause, blocked.data.outcome],
      ["outcome_unknown", "upstream_firewall", "unknown"],
    );
    for (const { headers } of upstream.seen)
      assert.equal(headers["user-agent"], "Mediagate/1");
    const ours = await create({
      status: 401,
      json: { code: 13, message: `bad key ${KEY}` },
    });
    assert.deepEqual(
      [ours.status, ours.data.reason],
      [502, "upstream_credentials"],
    );
  });
});

describe("unreadable responses", () => {
  const task = { task: { id: "t" } };
  for (const [name, [upstreamResponse, cause]] of Object.entries({
    "no envelope": [{ json: { other: task } }, "not_an_envelope"],
    "too large": [
      { json: { code: 0, data: { ...task, pad: "x".repeat(9000) } } },
      "answer_too_large",
    ],
  })) {
    test(name, async () => {
      const { status, code, data } = await create(upstreamResponse);
      assert.deepEqual(
        [status, code, data.reason, data.cause, data.outcome],
        [502, 99, "outcome_unknown", cause, "unknown"],
      );
      assert.equal(upstream.seen.length, 1, "sent once, never again");
    });
  }
});

/** Returns base64 of the key with text around it, and the part that contains bits of the key. */
const inBase64 = (before, after, encoding) => {
  const whole = Buffer.from(before + KEY + after).toString(encoding);
  const start = Math.floor((before.length * 8) / 6);
  const end = Math.ceil(((before.length + KEY.length) * 8) / 6);
  return { form: whole, secret: whole.slice(start, end) };
};

describe("the key", () => {
  const percent = [...Buffer.from(KEY)]
    .map((byte) => `%${byte.toString(16)}`)
    .join("");
  /** The upstream's texts. `secret` is the part that no caller may see, by default the whole. */
  const forms =
    /** @type {Record<string, { form: string, secret?: string }>} */ ({
      raw: { form: KEY },
      percent: { form: percent },
      base64: inBase64("Bearer ", "", "base64"),
    });
  for (const [name, { form, secret = form }] of Object.entries(forms)) {
    for (const [where, upstreamResponse] of Object.entries({
      "in a message": { json: { code: 99, message: `failed with ${form}` } },
      "in nested data": {
        json: { code: 1404, data: { a: [{ b: `see ${form}` }] } },
      },
      "in a member's name": {
        json: { code: 0, data: { task: { id: "t", [form]: 1 } } },
      },
      "in a task record": {
        json: {
          code: 0,
          data: {
            task: {
              id: "t",
              status: form,
              output_url: `https://h/${form}.png`,
            },
          },
        },
      },
      "in HTML": { status: 500, body: `<html>${form}</html>` },
      "in a header": {
        headers: { "x-echo": form, "retry-after": form },
        json: { code: 16, message: "m" },
      },
    })) {
      test(`${name} ${where} does not reach the caller or the log`, async () => {
        const response = await create(upstreamResponse);
        const out = [
          response.text,
          ...[...response.headers].flat(),
          ...gateway.logs,
        ].join("\n");
        assert.ok(!out.includes(secret), out);
        assert.ok(!out.includes(KEY), out);
      });
    }
  }

  test("only the key is replaced, and the rest of the text stays", async () => {
    const { form, secret } = inBase64("id: ", "!", "base64url");
    const { message, data } = await create({
      json: {
        code: 1404,
        message: `failed with ${KEY}, that is ${percent}`,
        data: { a: [`see ${KEY}${KEY}.`], [`${KEY} is`]: form },
      },
    });
    assert.equal(message, "failed with [redacted], that is [redacted]");
    assert.deepEqual(data.a, ["see [redacted][redacted]."]);
    assert.equal(data["[redacted] is"], form.replace(secret, "[redacted]"));
  });

  test("no other operation repeats the key either", async () => {
    const { data } = await create({
      json: { code: 0, data: { task: { id: "t" } } },
    });
    const upload = JSON.stringify({
      file_name: "a.png",
      content_type: "image/png",
      size: 3,
    });
    const url = `${upstream.url}/put?signature=${KEY}&x=${encodeURIComponent(Buffer.from(KEY).toString("base64"))}`;
    for (const [
      path,
      body,
      json,
    ] of /** @type {[string, string | undefined, object][]} */ ([
      [
        "/api/app/v1/models",
        undefined,
        { code: 0, data: { models: [{ [KEY]: KEY }] } },
      ],
      ["/api/app/v1/models", undefined, { code: 0, data: KEY }],
      [
        `/api/app/v1/generate/tasks/${data.task.id}`,
        undefined,
        {
          code: 0,
          data: {
            task: { id: KEY, status: KEY, outputs: [`https://h/${KEY}.png`] },
            key: KEY,
          },
        },
      ],
      [
        "/api/app/v1/upload_urls",
        upload,
        { code: 0, data: { upload_url: url, file_id: KEY } },
      ],
      [
        "/api/app/v1/credits/estimate",
        '{"capability":"text_to_image_turbo","input":{"prompt":"p"}}',
        { code: 0, data: { credits: KEY } },
      ],
    ])) {
      upstream.respond = () => ({ headers: { "x-echo": KEY }, json });
      const response = await fetch(gateway.url + path, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${token()}` },
        body,
      });
      const out = [
        await response.text(),
        ...[...response.headers].flat(),
        ...gateway.logs,
      ].join("\n");
      assert.ok(
        !out.includes(KEY) &&
          !out.includes(Buffer.from(KEY).toString("base64").slice(0, 20)),
        out,
      );
    }
  });
});

test("a caller learns nothing of the key, although the upstream repeats its guesses", async () => {
  upstream.respond = ({ body }) => {
    const { prompt: sent } = JSON.parse(body);
    return {
      json: { code: 12, message: sent, data: { words: sent.split(" ") } },
    };
  };
  // If the key were redacted in pieces, the response would show which guesses are right.
  const guesses = Array.from({ length: KEY.length }, (_, length) => {
    const next = KEY[length] === "x" ? "y" : "x";
    return [KEY.slice(0, length) + next, KEY.slice(length + 1)];
  }).flat();
  const prompt = [...guesses, KEY].join(" ");
  const { message, data } = await request(gateway.url + CREATE, {
    body: { prompt },
  });
  const words = [...guesses, "[redacted]"];
  assert.equal(message, words.join(" "));
  assert.deepEqual(data.words, words);
});

test("the log names its caller by a pseudonym, and has no prompt and no token", async () => {
  gateway.logs.length = 0;
  await create({ json: { code: 0, data: { task: { id: "t" } } } });
  while (logged(gateway.logs).length === 0) await sleep(20);
  const [line] = logged(gateway.logs);
  assert.match(line.subject, /^[0-9a-f]{16}$/);
  const claims = token().split(".")[1].slice(0, 20);
  const logs = gateway.logs.join("\n");
  assert.ok(!/prompt/.test(logs) && !logs.includes(claims), logs);
});
