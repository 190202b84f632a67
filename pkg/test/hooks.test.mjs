// The caller's own `fetch`, middleware, signal, logger and Turnstile function. None of them can
// make a call hang.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  client,
  connect,
  failure,
  mediagate,
  notFound,
  ok,
  timers,
} from "./support/client.mjs";

const TASK = {
  code: 0,
  message: "ok",
  data: { task: { id: "k", state: "SUCCEEDED" } },
};
const connectAnonymously = (options) =>
  mediagate.connect({ url: mediagate.URL_OF_GATEWAY, ...options });

test("a middleware reads method, capability and headers, sets headers, and reads the response unchanged", async () => {
  const sent = [];
  const seen = [];
  const media = await connect({
    fetch: async (url, init) => {
      sent.push({ url, headers: Object.fromEntries(init.headers) });
      return Response.json(TASK);
    },
    middleware: async (request, next) => {
      request.headers.set("x-team", "blue");
      const response = await next();
      seen.push({
        method: request.method,
        capability: request.capability,
        raw: await response.clone().json(),
      });
      return response;
    },
  });
  const task = await media.textToImage({ prompt: "p" });
  await task.refresh();
  assert.deepEqual(seen, [
    { method: "POST", capability: "text_to_image", raw: TASK },
    { method: "GET", capability: "text_to_image", raw: TASK },
  ]);
  assert.deepEqual(
    sent.map((request) => request.headers["x-team"]),
    ["blue", "blue"],
  );
  assert.equal(
    sent[0].url,
    "https://gateway.test/api/app/v1/generate/image/text_to_image",
  );
  assert.equal(sent[0].headers.authorization, "Bearer t");
});

test("a fetch may call the client", async () => {
  const more = [];
  const seen = mediagate.gateway();
  const media = await mediagate.connect({
    ...seen.options,
    fetch: (url, init) => {
      if (more.length < 4)
        more.push(media.models(), media.textToImage({ prompt: "again" }));
      return seen.fetch(url, init);
    },
  });
  const { state } = await media.textToImage({ prompt: "p" });
  assert.equal(state, "PROCESSING");
  await Promise.all(more);
  assert.deepEqual(seen.bodies.filter(Boolean).toSorted(), [
    '{"prompt":"again"}',
    '{"prompt":"again"}',
    '{"prompt":"p"}',
  ]);
});

for (const wrong of [
  undefined,
  null,
  {},
  "text",
  { ok: true, json: async () => TASK, text: async () => "{}" },
]) {
  test(`a value that is not a Response is an error (${JSON.stringify(wrong)})`, async () => {
    const media = await connect({ fetch: async () => wrong });
    await failure(media.textToImage({ prompt: "p" }), "unreadable", "unknown");
  });
}

test("a fetch that throws at once is an error with its cause", async () => {
  const cause = new Error("no");
  const media = await connect({
    fetch: () => {
      throw cause;
    },
  });
  const error = await failure(media.textToImage({ prompt: "p" }));
  assert.deepEqual([error.code, error.cause], ["network", cause]);
});

for (const [
  name,
  options,
  code,
] of /** @type {[string, () => object, string][]} */ ([
  ["signal", () => ({ signal: AbortSignal.abort("enough") }), "aborted"],
  ["signal later", () => ({ signal: AbortSignal.timeout(5) }), "aborted"],
  ["timeout", () => ({ timeout: 5 }), "timeout"],
])) {
  test(`a ${name} ends a call whose fetch never settles, and lets Node exit`, async () => {
    let passed;
    const media = await connect({
      fetch: (_, { signal }) => {
        passed = signal;
        return new Promise(() => {});
      },
    });
    // Node would exit while only the unref'd timer of AbortSignal.timeout is left.
    const alive = setInterval(() => {}, 1000);
    const error = await failure(media.textToImage({ prompt: "p" }, options()));
    clearInterval(alive);
    assert.equal(error.code, code);
    if (passed) assert.ok(passed.aborted);
  });
}

/** Makes a signal that counts its event listeners. */
function countingSignal() {
  const controller = new AbortController();
  let listeners = 0;
  for (const [name, step] of /** @type {[string, number][]} */ ([
    ["addEventListener", 1],
    ["removeEventListener", -1],
  ])) {
    const real = controller.signal[name].bind(controller.signal);
    controller.signal[name] = (...values) => {
      listeners += step;
      return real(...values);
    };
  }
  return { controller, signal: controller.signal, listeners: () => listeners };
}

/** Makes a client of a gateway whose task never ends, with streams or without. */
async function unending(streams) {
  const own = await client({
    ...(!streams && { "GET tasks/": notFound }),
    "GET process/tasks": () => ok({ task: { id: "k", state: "PROCESSING" } }),
  });
  const { seen } = own;
  const write = seen.streams.push.bind(seen.streams);
  seen.streams.push = (stream) => {
    stream.write(mediagate.event("PROCESSING"));
    return write(stream);
  };
  const polls = () =>
    seen.lines.filter((line) => line.startsWith("GET process")).length;
  return { ...own, polls };
}

test("a logger receives every request, and no secret", async () => {
  const lines = [];
  const logger = {
    debug: (...line) => lines.push(["debug", ...line]),
    warn: (...line) => lines.push(["warn", ...line]),
  };
  const respond = () =>
    Response.json(TASK, { headers: { "x-request-id": "r-1" } });
  const networkError = new TypeError("fetch failed");
  let calls = 0;
  const media = await connect({
    token: "secret-token",
    logger,
    fetch: async () =>
      ++calls === 1 ? Promise.reject(networkError) : respond(),
  });
  await media.textToImage({ prompt: "secret prompt" });
  const url = "https://gateway.test/api/app/v1/generate/image/text_to_image";
  const common = { method: "POST", url, capability: "text_to_image" };
  assert.deepEqual(
    lines.map(([level, message, { milliseconds, ...details }]) => [
      level,
      message,
      details,
      milliseconds >= 0,
    ]),
    [
      [
        "warn",
        `mediagate: POST ${url} failed`,
        { ...common, error: networkError },
        true,
      ],
      [
        "debug",
        `mediagate: POST ${url} 200`,
        { ...common, status: 200, requestId: "r-1" },
        true,
      ],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /secret/);
  const broken = {
    debug: () => assert.fail("a logger's bug"),
    warn() {},
  };
  const withBrokenLogger = await connect({
    logger: broken,
    fetch: async () => respond(),
  });
  assert.equal(
    (await withBrokenLogger.textToImage({ prompt: "p" })).state,
    "SUCCEEDED",
  );
  await failure(connect({ logger: {} }), "invalid_argument");
});

test("a middleware and a logger get no capability for a request without one", async () => {
  const seen = [];
  const logger = {
    debug: (_, { capability }) => seen.push(capability),
    warn: () => {},
  };
  const media = await connect({
    logger,
    middleware: ({ capability }, next) => {
      seen.push(capability);
      return next();
    },
    fetch: async () => ok([]),
  });
  await media.models();
  assert.deepEqual(seen, [undefined, undefined]);
});

test("each anonymous session is opened with a new Turnstile response", async () => {
  const sent = [];
  const fetch = async (url, { headers }) => {
    sent.push([
      new URL(url).pathname,
      headers.get("x-turnstile-response"),
      headers.get("x-mediagate"),
    ]);
    return ok({ session: { token: "t", expires_in: 600 } });
  };
  let calls = 0;
  await connectAnonymously({
    turnstile: async () => `turnstile-${++calls}`,
    fetch,
  });
  assert.deepEqual(sent, [["/session", "turnstile-1", "1"]]);
  const blocked = new Error("blocked");
  const turnstile = () => Promise.reject(blocked);
  const options = { turnstile, fetch, maxRetries: 0 };
  const error = await failure(connectAnonymously(options), "token_failed");
  assert.equal(error.cause, blocked);
  assert.equal(sent.length, 1);
});

for (const [name, streams] of [
  ["polled", false],
  ["followed", true],
]) {
  test(`after an abort, a task that was ${name} leaves no timer, listener or stream, and the caller's reason is the cause`, async () => {
    const { controller, signal, listeners } = countingSignal();
    const { seen, media, polls } = await unending(streams);
    const task = media.tasks.restore({ id: "k", capability: "split_video" });
    const before = timers();
    const done = failure(task.done({ signal }));
    while (task.state !== "PROCESSING" || timers() === before)
      await new Promise(setImmediate);
    const polled = streams ? 0 : 1;
    assert.deepEqual(
      [polls(), seen.open, listeners()],
      [polled, Number(streams), 1],
    );
    const reason = { any: "value" };
    controller.abort(reason);
    const error = await done;
    assert.deepEqual([error.code, error.cause], ["aborted", reason]);
    assert.deepEqual(
      [timers(), listeners(), polls(), seen.open],
      [before, 0, polled, 0],
    );
  });
}

test("a stream stays open between two updates, and leaving the loop closes it", async () => {
  const { seen, media, polls } = await unending(true);
  const task = media.tasks.restore({ id: "k", capability: "split_video" });
  for await (const update of task) {
    assert.equal(update.state, "PROCESSING");
    await new Promise(setImmediate);
    assert.equal(seen.open, 1);
    break;
  }
  await new Promise(setImmediate);
  assert.deepEqual([seen.open, polls()], [0, 0]);
});

test("leaving a loop, and the end of a task, leave no timer and no listener", async () => {
  const { signal, listeners } = countingSignal();
  const media = await connect({ fetch: async () => Response.json(TASK) });
  const before = timers();
  const task = media.tasks.restore({ id: "k", capability: "split_video" });
  for await (const update of task.updates({ signal })) {
    assert.equal(update.state, "SUCCEEDED");
    break;
  }
  await task.done({ signal, timeout: 60_000 });
  assert.deepEqual([timers(), listeners()], [before, 0]);
});

test("clients with equal hooks share their session, and others do not", async () => {
  const sent = [];
  const fetch = async (url) => {
    sent.push(new URL(url).pathname);
    return ok({ session: { token: "t", expires_in: 3600 } });
  };
  const middleware = (_, next) => next();
  const hooks = {
    fetch,
    middleware,
    logger: { debug() {}, warn() {} },
  };
  await Promise.all([
    connectAnonymously(hooks),
    connectAnonymously({ ...hooks }),
  ]);
  assert.deepEqual(sent, ["/session"]);
  await connectAnonymously({ ...hooks, middleware: (_, next) => next() });
  assert.deepEqual(sent, ["/session", "/session"]);
});

test("a request is sent even if the platform's fetch refuses its signal, such as jsdom's", async (t) => {
  const { AbortController, AbortSignal, fetch } = globalThis;
  t.after(() => Object.assign(globalThis, { AbortController, fetch }));
  class ForeignSignal extends EventTarget {
    aborted = false;
    reason = undefined;
  }
  class ForeignController {
    signal = new ForeignSignal();
    abort() {
      Object.assign(this.signal, { aborted: true, reason: new Error("abort") });
      this.signal.dispatchEvent(new Event("abort"));
    }
  }
  let sent = 0;
  globalThis.fetch = async (_, /** @type {RequestInit} */ { signal }) => {
    // Throws for a foreign signal, as Node's own fetch does.
    new Request("https://gateway.test", { signal });
    sent += 1;
    return sent === 1 ? ok([1]) : new Promise(() => {});
  };
  Object.assign(globalThis, { AbortController: ForeignController });
  const media = await connect({ maxRetries: 0 });
  assert.deepEqual(await media.models(), [1]);
  const controller = new AbortController();
  const models = failure(media.models({ signal: controller.signal }));
  while (sent < 2) await new Promise(setImmediate);
  controller.abort();
  assert.equal((await models).code, "aborted");
  assert.ok(controller.signal instanceof AbortSignal);
});

test("connect with a token sends nothing, and ready sends one request for the history", async () => {
  const responses = [
    ok({ tasks: [], pipelines: [] }),
    Response.json({ code: 13, message: "no" }, { status: 401 }),
  ];
  const seen = [];
  const media = await connect({
    fetch: async (url, { method }) => {
      seen.push(`${method} ${url}`);
      return responses.shift();
    },
  });
  assert.deepEqual(seen, []);
  assert.equal(await media.ready(), undefined);
  assert.deepEqual(seen, ["GET https://gateway.test/api/app/v1/tasks?limit=1"]);
  await failure(media.ready(), "unauthenticated");
});

test("the reason of an abort may be a promise", async () => {
  const { media } = await client({ "GET models": () => new Promise(() => {}) });
  const controller = new AbortController();
  const models = failure(
    media.models({ signal: controller.signal }),
    "aborted",
  );
  await new Promise(setImmediate);
  const reason = new Promise(() => {});
  controller.abort(reason);
  assert.equal((await models).cause, reason);
});
