// Whatever the upstream's response is, the caller gets an envelope and a fitting status, and never
// the API key.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { logged, SETTINGS, startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startWorld } from "../support/world.mjs";

const KEY = SETTINGS.UPSTREAM_API_KEY;
const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const BARE = "/api/app/v1/generate/image/text_to_image";

const { upstream, gateway } = await startWorld(() => ({}), {
  MAX_BODY_BYTES: "8192",
  MAX_RESPONSE_BYTES: "8192",
  UPSTREAM_TIMEOUT_MS: "2000",
});
beforeEach(() => (upstream.seen.length = 0));

/** Sends a create, to which the upstream responds with this. */
const create = (upstreamResponse, path = CREATE) => {
  upstream.respond = () => upstreamResponse;
  return request(gateway.url + path, { body: { prompt: "p" } });
};

describe("codes", () => {
  for (const [code, status, outcome] of /** @type {const} */ ([
    [12, 400, "rejected"],
    [1401, 402, "rejected"],
    [1404, 502, "unknown"],
    [1405, 504, "unknown"],
    [7777, 502, "unknown"],
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
    for (const [
      value,
      least,
      most,
    ] of /** @type {[string, number, number][]} */ ([
      ["1.2", 2, 2],
      [new Date(Date.now() + 100_000).toUTCString(), 90, 100],
    ])) {
      const reply = await create({
        status: 429,
        headers: { "retry-after": value },
        json: { code: 16, message: "rate limit" },
      });
      const seconds = Number(reply.headers.get("retry-after"));
      assert.ok(seconds >= least && seconds <= most, `${value}: ${seconds}`);
    }
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
    html: [{ status: 502, body: "<html>Bad gateway</html>" }, "not_json"],
    "cut off": [{ body: '{"code":0,"data":{"task":{"id":"t"' }, "not_json"],
    "no envelope": [{ json: { other: task } }, "not_an_envelope"],
    "no task": [{ json: { code: 0, data: {} } }, "no_task"],
    "too large": [
      { json: { code: 0, data: { ...task, pad: "x".repeat(9000) } } },
      "answer_too_large",
    ],
    reset: [{ reset: true }, "unreachable"],
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

  test("the deadline ends a request that hangs", async () => {
    const response = await create({ hang: true });
    assert.deepEqual(
      [response.status, response.code, response.data.cause],
      [504, 1405, "deadline"],
    );
  });
});

describe("text to image, whose response is not documented", () => {
  test("a bare object with a URL is a result", async () => {
    const response = await create({ json: { url: "https://h/a.png" } }, BARE);
    assert.equal(response.code, 0, response.text);
    assert.deepEqual(response.data.result.outputs, [
      { url: "https://h/a.png", kind: "image" },
    ]);
  });

  test("a response without a task or a result is an error", async () => {
    for (const [json, status, outcome] of [
      [{ error: { code: "insufficient_credits" } }, 402, "rejected"],
      [{ code: 0, data: { status_url: "https://h/s" } }, 502, "unknown"],
    ]) {
      const response = await create({ json }, BARE);
      assert.deepEqual(
        [response.status, response.data.outcome],
        [status, outcome],
        response.text,
      );
    }
  });
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
  const escapes = [...KEY]
    .map(
      (character) =>
        `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .join("");
  /** The upstream's texts. `secret` is the part that no caller may see, by default the whole. */
  const forms =
    /** @type {Record<string, { form: string, secret?: string }>} */ ({
      raw: { form: KEY },
      percent: { form: percent },
      "percent in capitals": { form: percent.toUpperCase() },
      "percent in part": { form: KEY.replaceAll("-", "%2D") },
      "JSON's escapes, as text": { form: escapes },
      "JSON in a string": {
        form: JSON.stringify({ [KEY]: `Bearer ${KEY}` }),
        secret: KEY,
      },
      base64: inBase64("Bearer ", "", "base64"),
      "base64, offset by one byte": inBase64("x", "yz", "base64"),
      "base64, offset by two bytes": inBase64("xy", "", "base64url"),
      "base64 after bytes of ones": inBase64("\x7f\x7f\x7f", "\x7f", "base64"),
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

  test("text that is not the whole key stays, whatever part of the key it has", async () => {
    const half = KEY.length / 2;
    const texts = [
      KEY.slice(0, half),
      KEY.slice(half),
      KEY.slice(1),
      KEY.slice(0, -1),
      KEY.toUpperCase(),
    ];
    texts.push(
      Buffer.from(KEY).toString("hex"),
      percent.replaceAll("%", "%25"),
      `${KEY.slice(0, 9)} ${KEY.slice(9)}`,
    );
    texts.push(...texts.map((text) => Buffer.from(text).toString("base64")));
    const { message, data } = await create({
      json: {
        code: 1404,
        message: texts.join(","),
        data: { texts, nested: { [texts[0]]: texts[1] } },
      },
    });
    assert.equal(message, texts.join(","));
    assert.deepEqual(
      [data.texts, data.nested],
      [texts, { [texts[0]]: texts[1] }],
    );
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

  test("JSON escapes do not hide the key", async () => {
    const response = await create({
      body: `{"code":99,"message":"${escapes}"}`,
    });
    assert.equal(response.message, "[redacted]");
  });
});

describe("a caller that guesses the key, where the upstream repeats what it was sent", () => {
  const ALPHABET =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  const KNOWN = KEY.slice(0, 8);
  let roomy;
  before(
    async () =>
      (roomy = await startGateway({ UPSTREAM_BASE_URL: upstream.url })),
  );
  after(() => roomy?.stop());

  /** Sends a prompt that the upstream repeats in each place of its response. */
  const echoed = async (prompt) => {
    upstream.respond = ({ body }) => {
      const { prompt: sent } = JSON.parse(body);
      return {
        json: {
          code: 12,
          message: sent,
          data: { echo: sent, nested: [{ words: sent.split(" ") }] },
        },
      };
    };
    return request(roomy.url + CREATE, { body: { prompt } });
  };

  /** Fails unless a response repeats a text in each place, without a change. */
  const assertRepeated = (reply, text) => {
    const { message, data } = reply;
    assert.ok(message === text && data.echo === text, "the text is repeated");
    assert.deepEqual(data.nested, [{ words: text.split(" ") }]);
  };

  test("every response repeats thousands of guesses that begin like the key", async () => {
    const pairs = [...ALPHABET].flatMap((first) =>
      [...ALPHABET].map((second) => first + second),
    );
    // If the key were redacted in pieces, the response would show which guesses are right.
    for (const guessesOf of [
      (pair) => KNOWN + pair,
      (pair) => KEY.slice(0, -3) + pair,
      (pair) => `${KNOWN + pair} ${KEY.slice(KEY.length - 12)}`,
      (pair) => Buffer.from(`Bearer ${KNOWN}${pair}`).toString("base64"),
      (pair) => `${KEY.slice(0, -1)}%${Buffer.from(pair).toString("hex")}`,
    ]) {
      const guesses = pairs
        .map(guessesOf)
        .filter((guess) => !decodeURIComponent(guess).includes(KEY));
      assert.ok(guesses.length > 3000);
      const text = guesses.join(" ");
      assertRepeated(await echoed(text), text);
    }
  });

  test("only the whole key is replaced", async () => {
    const near = [...ALPHABET]
      .map((last) => KEY.slice(0, -1) + last)
      .filter((guess) => guess !== KEY);
    const text = `${near.join(" ")} ${KEY}`;
    assertRepeated(await echoed(text), `${near.join(" ")} [redacted]`);
  });
});

test("the log has a line for each request, with no prompt and no token in it", async () => {
  const before = gateway.logs.length;
  await create({ json: { code: 0, data: { task: { id: "t" } } } });
  await sleep(200);
  const lines = logged(gateway.logs.slice(before));
  assert.equal(lines.length, 1);
  assert.deepEqual(
    [lines[0].operation, lines[0].status, lines[0].code],
    ["text_to_image_turbo", 200, 0],
  );
  assert.match(lines[0].subject, /^[0-9a-f]{16}$/);
  assert.ok(
    !gateway.logs.join("\n").includes(token().split(".")[1].slice(0, 20)),
  );
});
