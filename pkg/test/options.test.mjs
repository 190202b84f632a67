// The options of every call. An invalid one is an error that names the option, before anything is
// sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  client,
  connect,
  failure,
  mediagate,
  notFound,
  ok,
  shown,
  textOf,
  timers,
} from "./support/client.mjs";

const empty = () => ok({});
const ended = () => Response.json(mediagate.record("SUCCEEDED"));

async function ending() {
  const seen = mediagate.gateway({
    "GET tasks/": notFound,
    "GET process/tasks": ended,
    "GET tasks": empty,
    "GET pipelines": () => ok({ pipeline: { id: "p" } }),
    "DELETE ": empty,
  });
  return { seen, media: await mediagate.connect(seen.options) };
}

/** Asserts that a call is refused for this option, and leaves nothing behind. */
async function assertRefused(seen, call, name, what) {
  const before = timers();
  const error = await failure(call());
  assert.equal(error.code, "invalid_argument", what);
  assert.ok(textOf(error).includes(name), `${what}: ${textOf(error)}`);
  assert.deepEqual([seen.lines, timers()], [[], before], what);
  return error;
}

/** Invalid options of a create, with the option that the message names. */
const NO_CREATE_OPTIONS = [
  ...["", "a b", "é", "a\n", "k".repeat(256), null, 7].map((idempotencyKey) => [
    { idempotencyKey },
    "idempotencyKey",
  ]),
  [{ timeout: -1 }, "timeout"],
  [{ timout: 3 }, "did you mean timeout?"],
  [{ idempotency_key: "k" }, "did you mean idempotencyKey?"],
  [[], "options"],
];

for (const [options, name] of /** @type {[any, string][]} */ (
  NO_CREATE_OPTIONS
)) {
  test(`a create with ${shown(options).slice(0, 40)} is not sent`, async () => {
    const { seen, media } = await ending();
    for (const input of [{ prompt: "p" }, {}]) {
      const error = await assertRefused(
        seen,
        () => media.textToImage(input, options),
        name,
        shown(options),
      );
      assert.equal(error.outcome, "not_sent");
    }
  });
}

const realCrypto = globalThis.crypto;

/** Returns the keys that two creates are sent with on a platform with this `crypto`. */
async function keysWith(crypto, options) {
  const real = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  const keys = [];
  const media = await connect({
    fetch: async (_, { headers }) => {
      keys.push(headers.get("idempotency-key"));
      return Response.json(mediagate.record("PROCESSING"));
    },
  });
  Object.defineProperty(globalThis, "crypto", {
    value: crypto,
    configurable: true,
  });
  try {
    for (let count = 0; count < 2; count++)
      await media.textToImage({ prompt: "p" }, options);
  } finally {
    Object.defineProperty(globalThis, "crypto", real);
  }
  return keys;
}

test("a create has a random key, even without randomUUID, or the caller's", async () => {
  const insecure = {
    getRandomValues: (array) => realCrypto.getRandomValues(array),
  };
  for (const platform of [realCrypto, insecure]) {
    const keys = await keysWith(platform, { idempotencyKey: undefined });
    for (const key of keys) assert.match(key, /^[\da-f]+(-[\da-f]+){3,4}$/);
    assert.notEqual(keys[0], keys[1]);
  }
  const longest = "~!".repeat(127).concat("k");
  for (const idempotencyKey of ["k", longest]) {
    assert.deepEqual(await keysWith(undefined, { idempotencyKey }), [
      idempotencyKey,
      idempotencyKey,
    ]);
  }
});

test("a create without a key is not sent if the platform has no crypto", async () => {
  const error = await failure(keysWith(undefined, {}));
  const { code, message, outcome } = error;
  assert.deepEqual(
    [code, message, outcome],
    [
      "invalid_argument",
      "this platform has no crypto for a random key",
      "not_sent",
    ],
  );
});

const isPlain = (value) =>
  !value || Object.getPrototypeOf(value) === Object.prototype;

/** Makes each call with these options. */
const CALLS = Object.entries({
  connect: ({ seen }, options) =>
    mediagate.connect(
      isPlain(options) ? { ...seen.options, ...options } : options,
    ),
  create: ({ media }, options) =>
    media.create("text_to_image", { prompt: "p" }, options),
  "the method of a capability": ({ media }, options) =>
    media.textToImage({ prompt: "p" }, options),
  estimate: ({ media }, options) =>
    media.estimate("text_to_image", { prompt: "p" }, options),
  models: ({ media }, options) => media.models(options),
  capabilities: ({ media }, options) => media.capabilities(options),
  "upload of a file": ({ media }, options) =>
    media.upload(new Blob(["x"]), options),
  "upload of a stream": ({ media }, options) =>
    media.upload(new Blob(["x"]).stream(), options),
  refresh: ({ media }, options) =>
    media.tasks.restore(mediagate.SAVED).refresh(options),
  done: ({ media }, options) =>
    media.tasks.restore(mediagate.SAVED).done(options),
  next: ({ media }, options) =>
    media.tasks.restore(mediagate.SAVED).updates(options).next(),
  "list of tasks": ({ media }, options) => media.tasks.list(options),
  "list of pipelines": ({ media }, options) => media.pipelines.list(options),
  "forget of a task": ({ media }, options) => media.tasks.forget("k", options),
  "forget of a pipeline": ({ media }, options) =>
    media.pipelines.forget("p", options),
  "refresh of a pipeline": ({ media }, options) =>
    media.pipelines.restore("p").refresh(options),
});

/** Invalid options, with the option that the message names. */
const INVALID = [
  ...["text", [], 7, true, () => {}, new Blob(["x"])].map((options) => [
    options,
    "options",
  ]),
  ...[0, -1, "1", NaN, -Infinity, null, 5n].map((timeout) => [
    { timeout },
    "timeout",
  ]),
  ...[{}, true, "abort"].map((signal) => [{ signal }, "signal"]),
  ...[-1, "1", NaN, null, 5n, {}].map((maxRetries) => [
    { maxRetries },
    "maxRetries",
  ]),
  ...[null, true, {}, "log"].map((onRetry) => [{ onRetry }, "onRetry"]),
];

for (const [name, call] of CALLS) {
  test(`${name}: options that are not valid are errors, and nothing is sent`, async () => {
    for (const [options, option] of /** @type {[any, string][]} */ (INVALID)) {
      const own = await ending();
      const what = `${option} ${Object.values(Object(options)).map(String)}`;
      await assertRefused(own.seen, () => call(own, options), option, what);
    }
  });

  test(`${name}: a signal that is already aborted is an error, and nothing is sent`, async () => {
    const own = await ending();
    const before = timers();
    const error = await failure(
      call(own, { signal: AbortSignal.abort("enough"), timeout: 60_000 }),
    );
    assert.deepEqual(
      [error.code, error.cause, own.seen.lines],
      ["aborted", "enough", []],
    );
    assert.equal(timers(), before);
  });

  test(`${name}: options without limits, and with long ones, are valid`, async () => {
    const { signal } = new AbortController();
    const valid = [
      null,
      undefined,
      {},
      { signal: null },
      { signal: undefined, timeout: undefined },
    ];
    const limits = [
      { timeout: 1e300 },
      { timeout: 2 ** 31 },
      { timeout: Infinity },
      { timeout: 60_000, signal },
    ];
    for (const options of [...valid, ...limits]) {
      const own = await ending();
      const before = timers();
      await call(own, options);
      assert.equal(
        timers(),
        before,
        `${name} leaves a timer with ${shown(options)}`,
      );
      assert.equal(
        own.seen.lines.length > 0,
        name !== "connect",
        shown(options),
      );
    }
  });
}

test("of two mistakes, that in the options is the error", async () => {
  const { seen, media } = await ending();
  const options = { timeout: -1 };
  for (const call of [
    () => media.create("video", {}, options),
    () => media.estimate("video", {}, options),
    () => media.upload("text", options),
    () => media.upload(new Blob(["x"]), { ...options, onProgress: 7 }),
    () => media.tasks.list({ ...options, limit: "x" }),
    () => media.tasks.forget(7, options),
    () => media.pipelines.list({ ...options, limit: "x" }),
    () => media.pipelines.forget(7, options),
    () => media.pipelines.start(7, options),
  ])
    await assertRefused(seen, call, "timeout", String(call));
});

test("an iterator ends with the step that is refused", async () => {
  const { seen, media } = await ending();
  const updates = media.tasks.restore(mediagate.SAVED).updates({ timeout: 0 });
  await failure(updates.next(), "invalid_argument");
  assert.deepEqual(
    [await updates.next(), seen.lines],
    [{ done: true, value: undefined }, []],
  );
});

test("a timeout over the platform's longest does not end a call at once, and Infinity is none", async () => {
  let respond;
  const { media } = await client({
    "GET models": () =>
      new Promise((resolve) => {
        respond = () => resolve(ok([1]));
      }),
  });
  // One timer is for the attempt.
  for (const [timeout, count] of [
    [2 ** 31, 2],
    [Infinity, 1],
  ]) {
    const before = timers();
    const models = media.models({ timeout });
    await new Promise(setImmediate);
    assert.equal(timers() - before, count, String(timeout));
    await new Promise((resolve) => setTimeout(resolve, 20));
    respond();
    assert.deepEqual(await models, [1]);
  }
});

/** Returns the first line of each request of a call, by a client with these options. */
async function linesOf(options) {
  const lines = [];
  const respond = async (url, { method, headers }) => {
    lines.push(`${method} ${url} ${headers.get("authorization")}`);
    return ok([]);
  };
  const media = await connect({ fetch: respond, ...options });
  await media.models();
  return lines;
}

test("connect: the url is http or https, without query, fragment, user and slash at its end", async () => {
  const places = [
    ["https://gateway.test", "https://gateway.test"],
    ["https://gateway.test/", "https://gateway.test"],
    ["https://gateway.test/media/", "https://gateway.test/media"],
    ["HTTP://Gateway.test:81/a", "http://gateway.test:81/a"],
    [new URL("https://gateway.test/"), "https://gateway.test"],
    [new URL("http://gateway.test/media/"), "http://gateway.test/media"],
  ];
  for (const [url, base] of places) {
    assert.deepEqual(await linesOf({ url }), [
      `GET ${base}/api/app/v1/models Bearer t`,
    ]);
  }
});

/** Invalid options of `connect`, with the option that the message names. */
const NO_CONNECT_OPTIONS = [
  ...[
    undefined,
    null,
    7,
    {},
    "",
    "gateway.test",
    "/media",
    "ftp://x",
    "http://[",
  ].map((url) => ["url", url]),
  ...[
    "https://u:p@gateway.test",
    "https://u@gateway.test",
    "https://gateway.test/?key=1",
  ].map((url) => ["url", url]),
  ...[
    "https://gateway.test?",
    "https://gateway.test/#x",
    new URL("file:///media"),
  ].map((url) => ["url", url]),
  // A token that is missing by mistake must not become an anonymous session.
  ...["", "a b", "a\r\nb", "a\n", "é", 7, {}, true, null, undefined].map(
    (token) => ["token", token],
  ),
  ...["widget", 7, {}, null].map((turnstile) => ["turnstile", turnstile]),
  ...["fetch", 7, {}, true].map((fetch) => ["fetch", fetch]),
  ...["log", 7, [], true].map((middleware) => ["middleware", middleware]),
  ...["log", 7, {}, { debug() {} }, { debug: 7, warn() {} }].map((logger) => [
    "logger",
    logger,
  ]),
];

for (const [name, value] of /** @type {[string, any][]} */ (
  NO_CONNECT_OPTIONS
)) {
  test(`connect: ${name} ${shown(value)} is not valid`, async () => {
    const seen = mediagate.gateway();
    await assertRefused(
      seen,
      () => mediagate.connect({ ...seen.options, [name]: value }),
      name,
      shown(value),
    );
  });
}

test("connect: the error of a missing url, or of one without a scheme, says so", async () => {
  for (const [options, message] of /** @type {[any, RegExp][]} */ ([
    [
      { url: "127.0.0.1:8787" },
      /did you mean http:\/\/127\.0\.0\.1:8787 or https:/,
    ],
    [{ url: "media.example.com" }, /no scheme/],
    [
      { url: "ftp://media.example.com" },
      /^url is not the address of a gateway/,
    ],
    [{ url: "/gateway" }, /whole http or https URL/],
    ...[{ url: undefined }, { url: 7 }, {}, null, undefined].map((options) => [
      options,
      /whole http or https URL/,
    ]),
  ])) {
    const error = await failure(mediagate.connect(options), "invalid_argument");
    assert.match(textOf(error), message);
  }
});

const UNKNOWN_OPTIONS = {
  apiKey: /apiKey: only the gateway has the API key/,
  api_key: /the gateway/,
  key: /the gateway/,
  secretKey: /the gateway/,
  baseUrl: /no option baseUrl here; did you mean url\?/,
  tokn: /no option tokn here; did you mean token\?/,
  midleware: /did you mean middleware\?/,
  sessionToken: /did you mean token\?/,
  max_retries: /did you mean maxRetries\?/,
  retries: /did you mean maxRetries\?/,
  timeoutMs: /did you mean timeout\?/,
  headers: /no option headers here; the options are url, token,/,
  _: /the options are url/,
};

for (const [name, message] of Object.entries(UNKNOWN_OPTIONS)) {
  test(`connect: there is no option ${name}`, async () => {
    const seen = mediagate.gateway();
    const error = await assertRefused(
      seen,
      () => mediagate.connect({ ...seen.options, [name]: "k" }),
      name,
      name,
    );
    assert.match(textOf(error), message);
  });
}

test("the error of a misspelt capability names the nearest one", async () => {
  const { seen, media } = await ending();
  for (const [name, message] of [
    [
      "image_to_vido",
      'there is no capability "image_to_vido"; did you mean "image_to_video"?',
    ],
    ["textToImage", /did you mean "text_to_image"\?/],
    ["txet_to_image_turbo", /did you mean "text_to_image_turbo"\?/],
    ["merge", /did you mean "merge_pdf"\?/],
    [
      "paint",
      'there is no capability "paint"; capabilities() lists their names',
    ],
    [
      undefined,
      "there is no such capability; capabilities() lists their names",
    ],
  ]) {
    const create = media.create(name, {});
    const error = await failure(create, "invalid_argument", "not_sent");
    if (typeof message === "string") assert.equal(textOf(error), message);
    else assert.match(textOf(error), message);
  }
  assert.deepEqual(seen.lines, []);
});

test("connect: a token may be a function, whose result is checked with the first request", async () => {
  for (const token of [() => "a.b-c_", async () => "a.b-c_"])
    assert.deepEqual(await linesOf({ token }), [
      `GET ${mediagate.URL_OF_GATEWAY}/api/app/v1/models Bearer a.b-c_`,
    ]);
  // `null` may be a missing session. The page then does not mean an anonymous one.
  for (const [token, found] of /** @type {any[]} */ ([
    [null, "null"],
    [undefined, "undefined"],
    [7, "a value of the type number"],
    [{ token: "a.b.c" }, "a value of the type object"],
  ])) {
    const error = await failure(linesOf({ token: () => token }));
    assert.deepEqual(
      [error.code, error.message],
      [
        "invalid_argument",
        `the function for a token returned ${found} instead of a session token`,
      ],
    );
  }
});

test("connect: a hook that is false or null is none", async () => {
  const real = globalThis.fetch;
  const { fetch } = mediagate.gateway();
  globalThis.fetch = fetch;
  try {
    for (const none of [undefined, null, false]) {
      let calls = 0;
      const middleware = (_, next) => {
        calls++;
        return next();
      };
      assert.equal(
        (
          await linesOf({
            middleware: none,
            logger: none,
            turnstile: undefined,
          })
        ).length,
        1,
      );
      const media = await connect({ fetch: none, middleware });
      assert.deepEqual([await media.models(), calls], [[], 1], String(none));
    }
  } finally {
    globalThis.fetch = real;
  }
});

test("the limits of connect apply to its calls, except the timeout to a wait for a task", async () => {
  const seen = mediagate.gateway({
    "GET models": () => new Response("", { status: 503 }),
    "GET tasks/": notFound,
  });
  const retries = [];
  const times = [];
  const start = Date.now();
  const onRetry = ({ attempt, milliseconds, since, error }) => {
    retries.push([attempt, milliseconds > 0, error.code]);
    assert.ok(Date.parse(since) >= start && Date.parse(since) <= Date.now());
    times.push(since);
  };
  const media = await mediagate.connect({
    ...seen.options,
    maxRetries: 1,
    timeout: 3_000,
    onRetry,
  });
  assert.equal((await failure(media.models())).status, 503);
  assert.deepEqual(
    [seen.lines.length, retries],
    [2, [[1, true, "unreadable"]]],
  );
  assert.equal((await failure(media.models({ maxRetries: 0 }))).status, 503);
  assert.deepEqual([seen.lines.length, retries.length], [3, 1]);
  assert.match(times[0], /^\d{4}-\d\d-\d\dT.*Z$/);
  await failure(media.models({ maxRetries: 9, timeout: 20 }), "timeout");

  const hurried = await mediagate.connect({ ...seen.options, timeout: 200 });
  const done = hurried.tasks
    .restore(mediagate.SAVED)
    .done({ signal: AbortSignal.timeout(1_000) });
  assert.equal(
    (await failure(done)).code,
    "aborted",
    "a task may take longer than a request",
  );
});

test("an error has a hint, and the line of the caller in its stack", async () => {
  const broken = () => {
    throw new TypeError("fetch failed");
  };
  const media = await mediagate.connect({
    ...mediagate.gateway({ "GET models": broken }).options,
    maxRetries: 0,
  });
  const ofThisTest = async () => {
    await media.models();
  };
  const error = await failure(ofThisTest());
  assert.deepEqual(
    [error.code, error.message],
    ["network", "no response from the gateway"],
  );
  assert.match(error.hint, /connection.*connect-src.*ALLOWED_ORIGINS.*header/);
  assert.match(
    error.stack,
    /^MediagateError: no response from the gateway\n +at [\s\S]*ofThisTest[\s\S]*\n +hint: check/,
  );
});

test("the error of a failed task has the reason, and a console shows a task", async () => {
  const record = {
    id: "k",
    state: "FAILED",
    error: { message: "no faces; none", reason: "content_refused" },
  };
  const body = { code: 0, message: "ok", data: { task: record } };
  const failed = {
    "GET tasks/": notFound,
    "GET process/tasks": () => Response.json(body),
  };
  const media = await mediagate.connect(mediagate.gateway(failed).options);
  const task = media.tasks.restore(mediagate.SAVED);
  const error = await failure(task.done());
  assert.deepEqual(
    [error.code, error.message, error.reason],
    ["task_failed", "the task failed: no faces; none", "content_refused"],
  );
  assert.match(error.hint, /^change the text or the files/);
  assert.equal(error.task.state, "FAILED");
  assert.match(inspect(task), /^Task \{[\s\S]*state: 'FAILED'/);
  assert.deepEqual(Object.keys(task), ["id", "capability"]);
});

test("a snapshot has the warnings of its record", async () => {
  const warnings = ["seed was ignored"];
  for (const [given, shown] of [
    [{ warnings }, warnings],
    [{}, undefined],
    [{ warnings: null }, undefined],
  ]) {
    const { media } = await client({
      "GET process/tasks": () =>
        ok({ task: { id: "k", state: "RUNNING", ...given } }),
    });
    const task = media.tasks.restore(mediagate.SAVED);
    assert.deepEqual((await task.refresh()).warnings, shown);
  }
});

class Readable {
  pipe() {}
}
/** Returns a value whose class has this name, like a value of another frame or environment. */
const named = (name) => ({ [Symbol.toStringTag]: name });

/** Values that a field for a file refuses, with the issue. */
const NO_FILES = /** @type {[string, any, RegExp][]} */ ([
  ["a Promise", Promise.resolve("f"), /is a Promise \(await it\); give a File/],
  ["a FileList", named("FileList"), /is a FileList \(use files\[0\]\)/],
  ["an input", named("HTMLInputElement"), /\(use its files\[0\]\)/],
  ["a URL", new URL("https://a.test/a.png"), /\(give it as { url: url.href }/],
  ["a Response", new Response("x"), /is a Response \(use its blob\(\)\)/],
  ["a stream", new Blob(["x"]).stream(), /is a stream \(upload it first/],
  ["a stream of Node", new Readable(), /openAsBlob.*Readable\.toWeb/],
  ["a Blob that cannot be copied", named("Blob"), /of another environment/],
  ["a symbol", Symbol("secret"), /is a symbol; give/],
  ["a function", () => {}, /is a function; give/],
]);

for (const [name, value, message] of NO_FILES) {
  test(`the issue of a field for a file names ${name}, with the remedy`, async () => {
    const { seen, media } = await ending();
    const creates = [
      () => media.backgroundRemoval({ file_id: value }),
      () => media.mergePdf({ input_file_ids: ["f", value] }),
    ];
    for (const create of creates) {
      const { code, outcome, issues } = await failure(create());
      assert.deepEqual(
        [code, outcome, issues.length, issues[0].reason, seen.lines],
        ["invalid_input", "not_sent", 1, "wrong_type", []],
      );
      assert.match(issues[0].message, message);
    }
  });
}

test("the issue of an input that is not awaited says so", async () => {
  const input = Promise.resolve({ prompt: "p" });
  const [issue] = await mediagate.validate("text_to_image", input);
  assert.equal(issue.message, "is a Promise (await it); give a JSON object");
});
