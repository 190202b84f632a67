// Malformed requests and malformed upstream responses, byte by byte over TCP. Each is refused or
// does no harm, no refused request reaches the upstream, and the isolate goes on serving.
import assert from "node:assert/strict";
import {
  after,
  afterEach,
  before,
  beforeEach,
  describe,
  test,
} from "node:test";
import { gzipSync } from "node:zlib";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { openRaw, sendRaw } from "../support/raw.mjs";
import { startRawUpstream } from "../support/raw-upstream.mjs";
import { token } from "../support/token.mjs";

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const BODY = '{"prompt":"p"}';
const TASK = '{"code":0,"data":{"task":{"id":"t"}}}';
const ORIGIN = "https://app.example.com";
const AUTHORIZATION = `Authorization: Bearer ${token()}`;
/** Returns the head of a create, with its `Content-Length` last. */
const head = (...lines) =>
  [
    `POST ${CREATE} HTTP/1.1`,
    AUTHORIZATION,
    ...lines,
    `Content-Length: ${BODY.length}`,
  ].join("\n");
const rawResponse = (body, ...lines) =>
  [
    ...(lines.length ? lines : ["HTTP/1.1 200 OK"]),
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");

let upstream, gateway;
before(async () => {
  upstream = await startRawUpstream();
  gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    UPSTREAM_TIMEOUT_MS: "2000",
    MAX_BODY_BYTES: "8192",
    MAX_RESPONSE_BYTES: "8192",
    ALLOWED_ORIGINS: ORIGIN,
  });
});
after(() => Promise.all([gateway?.stop(), upstream?.stop()]));
beforeEach(() => {
  upstream.requests = 0;
  upstream.respond = (connection) =>
    connection.write(rawResponse(TASK), "latin1");
});
afterEach(async () => {
  const health = await fetch(`${gateway.url}/healthz`);
  assert.deepEqual(
    [health.status, await health.text()],
    [200, '{"status":"ok"}'],
    "the isolate goes on serving",
  );
  assert.ok(
    !gateway.logs.join("\n").match(/panicked|unreachable/),
    "nothing panicked",
  );
  assert.ok(!gateway.logs.join("\n").includes(SETTINGS.UPSTREAM_API_KEY));
});

/** Sends a request, and asserts its status and how many requests have reached the upstream. */
async function expect(status, requestCount, ...request) {
  const response = await sendRaw(gateway.url, ...request);
  assert.equal(response.status, status, response.text.slice(0, 500));
  assert.equal(upstream.requests, requestCount);
  return response.text;
}

describe("headers", () => {
  test("a flood of headers is refused or not passed on, and a huge one is refused", async () => {
    const many = (count) =>
      Array.from({ length: count }, (_, index) => `x-flood-${index}: v`);
    await expect(200, 1, head(...many(1000)), BODY);
    for (const lines of [many(20_000), [`x-huge: ${"v".repeat(200_000)}`]]) {
      const { status } = await sendRaw(gateway.url, head(...lines), BODY);
      // If the connection is reset while the client still sends, the response is lost.
      assert.ok(status === 431 || Number.isNaN(status), String(status));
    }
    const bearer = `Authorization: Bearer ${"a".repeat(60_000)}`;
    await expect(401, 1, `POST ${CREATE} HTTP/1.1\n${bearer}`);
  });

  for (const name of ["cookie", "content-type", "idempotency-key"]) {
    test(`bytes outside ASCII in ${name} do no harm`, async () => {
      const text = await expect(
        name === "idempotency-key" ? 400 : 200,
        name === "idempotency-key" ? 0 : 1,
        head(`${name}: unlisted\xe9\xff\x80`),
        BODY,
      );
      assert.ok(!text.includes("unlisted"));
    });
  }

  test("bytes outside ASCII in Authorization or Origin are refused", async () => {
    await expect(
      401,
      0,
      `POST ${CREATE} HTTP/1.1\nAuthorization: Bearer unlisted\xe9\xff\x80`,
    );
    await expect(403, 0, head(`Origin: ${ORIGIN}\xe9`), BODY);
    await expect(403, 0, head("Origin: null"), BODY);
  });

  test("a repeated Authorization or Origin header is refused", async () => {
    await expect(401, 0, head(AUTHORIZATION), BODY);
    await expect(
      403,
      0,
      head(`Origin: ${ORIGIN}`, "Origin: https://evil.example.com"),
      BODY,
    );
  });
});

describe("bodies", () => {
  const chunked = (...chunks) =>
    [...chunks, ""]
      .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
      .join("");
  const headWithoutLength = (...lines) =>
    [`POST ${CREATE} HTTP/1.1`, AUTHORIZATION, ...lines].join("\n");

  test("the bytes that arrive are a body's size, not what its headers state", async () => {
    await expect(
      200,
      1,
      headWithoutLength("Transfer-Encoding: chunked"),
      chunked('{"prompt":', '"p"}'),
    );
    await expect(
      413,
      1,
      headWithoutLength("Transfer-Encoding: chunked"),
      chunked(...Array.from({ length: 20 }, () => " ".repeat(4096))),
    );
    await expect(
      413,
      1,
      headWithoutLength("Content-Length: 9000"),
      " ".repeat(9000),
    );
  });

  test("a Content-Length beside chunks neither limits the body nor starts another request", async () => {
    const inner = `POST ${CREATE} HTTP/1.1\r\n${AUTHORIZATION}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
    await expect(
      413,
      0,
      headWithoutLength("Content-Length: 2", "Transfer-Encoding: chunked"),
      chunked(" ".repeat(9000), inner),
    );
    await expect(400, 0, headWithoutLength("Content-Length: 5"), `{"pro`);
  });

  test("a slow body is refused after the deadline, and meanwhile other requests are served", async () => {
    const slow = await openRaw(gateway.url);
    slow.send(`${head().replaceAll("\n", "\r\n")}\r\nHost: x\r\n\r\n`);
    let left = BODY;
    const drip = setInterval(() => {
      if (left.length <= 1) return;
      slow.send(left[0]);
      left = left.slice(1);
    }, 200);
    try {
      await expect(200, 1, head(), BODY);
      const { status, text } = await slow.response;
      assert.deepEqual(
        [status, /"reason":"(\w+)"/.exec(text)?.[1]],
        [408, "slow_body"],
      );
    } finally {
      clearInterval(drip);
      slow.close();
    }
    assert.equal(upstream.requests, 1);
  });

  test("a body that is cut off does not reach the upstream", async () => {
    const broken = await openRaw(gateway.url);
    broken.send(`${head().replaceAll("\n", "\r\n")}\r\nHost: x\r\n\r\n{"prom`);
    await expect(200, 1, head(), BODY);
    broken.close();
    await expect(200, 2, head(), BODY);
  });

  test("JSON that is deep, repeats a name, or is not UTF-8 is refused or does no harm", async () => {
    const json = (body) => [
      headWithoutLength(`Content-Length: ${body.length}`),
      body,
    ];
    await expect(400, 0, ...json('{"a":'.repeat(1600)));
    await expect(400, 0, ...json('{"prompt":"\xff\xfe"}'));
    await expect(400, 0, ...json("\xff\xfe{\0}\0"));
    await expect(200, 1, ...json('{"prompt":"a","prompt":"p"}'));
    assert.equal(
      upstream.last.split("\r\n\r\n")[1],
      '{"prompt":"p"}',
      "the upstream gets one prompt, the one that was validated",
    );
  });
});

describe("methods and paths", () => {
  const at = (path) => head().replace(CREATE, path);
  test("a path that the platform normalises counts as the plain path", async () => {
    let requestCount = 0;
    for (const path of [
      `${CREATE}?a=b`,
      CREATE.replace("/image", "/./image"),
      CREATE.replace("/image", "/x/../image"),
      CREATE.replace("/image", "/%2e/image"),
      CREATE.replace("/image", "/x/%2e%2e/image"),
    ]) {
      await expect(200, ++requestCount, at(path), BODY);
      assert.match(upstream.last, new RegExp(`^POST ${CREATE} HTTP/1.1\r\n`));
    }
  });

  test("a path that would have to be decoded is unknown", async () => {
    for (const path of [
      `/${CREATE}`,
      `${CREATE}%00`,
      CREATE.replace("/image", "%2fimage"),
      `//evil.example.com${CREATE}`,
      CREATE.replace("/image", "%5cimage"),
    ])
      await expect(404, 0, at(path), BODY);
    const { status } = await sendRaw(
      gateway.url,
      at(`http://evil.example.com${CREATE}`),
      BODY,
    );
    assert.ok(status >= 400);
    assert.equal(upstream.requests, 0);
  });

  test("an id that would change the path is unknown", async () => {
    for (const id of [
      "..",
      "%2e%2e",
      "..%2f..%2fmodels",
      "a%2fb",
      "a\\b",
      "%00",
      "\xe9",
    ]) {
      const { status } = await sendRaw(
        gateway.url,
        `GET /api/app/v1/generate/tasks/${id} HTTP/1.1\n${AUTHORIZATION}`,
      );
      assert.equal(status, 404, id);
    }
    assert.equal(upstream.requests, 0);
  });
});

describe("upstream responses", () => {
  /** Creates once while the upstream behaves so. Returns the status and the refusal's cause. */
  const create = async (respond) => {
    upstream.respond = respond;
    const response = await fetch(gateway.url + CREATE, {
      method: "POST",
      headers: { authorization: `Bearer ${token()}` },
      body: BODY,
    });
    const { data } = await response.json();
    return [response.status, data.cause];
  };
  const once =
    (...bytes) =>
    (connection) => {
      for (const part of bytes) connection.write(part, "latin1");
    };
  const dripping = (start, piece) => (connection) => {
    connection.write(start);
    const drip = setInterval(() => connection.write(piece), 50);
    connection.once("close", () => clearInterval(drip));
  };

  for (const [name, start, piece] of [
    ["a body", "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", " "],
    [
      "a body in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\n \r\n",
    ],
    ["a head", "HTTP/1.1 200 OK\r\nX-Slow: ", "v"],
    [
      "a series of early hints",
      "HTTP/1.1 103 Early Hints\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\n\r\n",
    ],
  ]) {
    test(`the deadline ends ${name} that arrives slowly, and closes the connection`, async () => {
      assert.deepEqual(await create(dripping(start, piece)), [504, "deadline"]);
      await upstream.closed();
    });
  }

  test("the envelope counts and not an odd status, unless there is no body", async () => {
    for (const status of [199, 206, 226, 299, 400, 418, 499, 599, 999])
      assert.deepEqual(
        await create(once(rawResponse(TASK, `HTTP/1.1 ${status} X`))),
        [200, undefined],
        String(status),
      );
    for (const status of [204, 205])
      assert.deepEqual(
        await create(once(rawResponse("", `HTTP/1.1 ${status} X`))),
        [502, "not_json"],
        String(status),
      );
    assert.deepEqual(await create(once(rawResponse("", "HTTP/1.1 304 X"))), [
      502,
      "redirect",
    ]);
    assert.deepEqual(
      await create(once(rawResponse(TASK, "HTTP/1.1 200 caf\xe9"))),
      [200, undefined],
    );
  });

  test("no redirect is followed, and the key goes nowhere else", async () => {
    const elsewhere = await startRawUpstream();
    for (const status of [300, 301, 302, 303, 305, 307, 308]) {
      upstream.requests = 0;
      assert.deepEqual(
        await create(
          once(
            rawResponse(
              TASK,
              `HTTP/1.1 ${status} X`,
              `Location: ${elsewhere.url}/`,
            ),
          ),
        ),
        [502, "redirect"],
      );
      assert.equal(upstream.requests, 1);
    }
    assert.equal(elsewhere.requests, 0);
    await elsewhere.stop();
  });

  test("headers outside ASCII pass, and malformed or too many ones make the upstream unreachable", async () => {
    assert.deepEqual(
      await create(
        once(
          rawResponse(
            TASK,
            "HTTP/1.1 200 OK",
            "X-Odd: caf\xe9\xff",
            "Retry-After: \xe9",
          ),
        ),
      ),
      [200, undefined],
    );
    for (const line of [
      "X Odd",
      "X-Odd: a\0b",
      "X: y\r\n".repeat(40_000).trim(),
    ])
      assert.deepEqual(
        await create(once(rawResponse(TASK, "HTTP/1.1 200 OK", line))),
        [502, "unreachable"],
        line.slice(0, 20),
      );
    assert.deepEqual(
      await create((response) => response.end("SSH-2.0-none\r\n")),
      [502, "unreachable"],
    );
  });

  test("a response with a wrong Content-Length is an error", async () => {
    const wrongLength = (length) =>
      `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${TASK}`;
    assert.deepEqual(
      await create((response) => response.end(wrongLength(TASK.length + 10))),
      [502, "unreachable"],
    );
    assert.deepEqual(await create(once(wrongLength(5))), [502, "not_json"]);
  });

  test("bytes after a response are not part of the next caller's response", async () => {
    await create(
      once(
        rawResponse(TASK) +
          rawResponse(
            '{"code":0,"data":{"task":{"id":"poison","status":"POISON"}}}',
          ),
      ),
    );
    upstream.respond = once(rawResponse(TASK));
    const text = await expect(200, 2, head(), BODY);
    assert.ok(!text.includes("POISON"), text);
  });

  test("a response that is too large after decompression is refused", async () => {
    const compressed = (bytes) => (connection) => {
      connection.write(
        `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`,
      );
      connection.write(bytes);
    };
    assert.deepEqual(await create(compressed(gzipSync(TASK))), [
      200,
      undefined,
    ]);
    assert.deepEqual(
      await create(compressed(gzipSync(Buffer.alloc(50 << 20, 32)))),
      [502, "answer_too_large"],
    );
    assert.deepEqual(await create(compressed(Buffer.from(TASK))), [
      502,
      "unreachable",
    ]);
  });
});
