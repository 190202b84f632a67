// The options for TanStack Query, with a cache that has only what their functions use.
// tests/packaging has them in the real one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import * as query from "../dist/query.js";
import { client, connect, failure, mediagate, ok } from "./support/client.mjs";
import { file, kept } from "./support/store.mjs";

const TASK = /** @type {const} */ ({ id: "k", capability: "text_to_image" });

/** Makes a cache whose query may be shown, and the context of its query function. */
function cache(isActive = true) {
  const shown = [];
  const controller = new AbortController();
  const query = { isActive: () => isActive };
  const state = { data: undefined, query };
  const context = {
    client: {
      getQueryData: () => state.data,
      setQueryData: (_, data) => {
        state.data = data;
        shown.push(data);
      },
      getQueryCache: () => ({ find: () => state.query }),
    },
    queryKey: ["key"],
    signal: controller.signal,
  };
  return { state, shown, context, controller };
}

const withOutputs = (state, outputs = []) =>
  ok({ task: { id: "k", state, outputs } });

const methods = (output) => [typeof output.blob, typeof output.download];

async function until(holds) {
  for (let count = 0; count < 400 && !holds(); count++) await wait(25);
  assert.ok(holds());
}

test("a key has the user", async (t) => {
  const { client: media, media: storing } = await kept(t);
  const other = await connect({ token: "u" });
  const { historyQuery, modelsQuery, capabilitiesQuery } = query;
  for (const options of [
    (media, given) => query.taskQuery(media, TASK, given),
    (media, given) => query.pipelineQuery(media, { id: "p" }, given),
    ...[historyQuery, modelsQuery, capabilitiesQuery],
  ]) {
    const keyOf = (media, given) => options(media, given).queryKey;
    const name = String(keyOf(media)[1]);
    assert.deepEqual(keyOf(media), keyOf(media), name);
    assert.deepEqual(keyOf(media), keyOf(storing), name);
    assert.notDeepEqual(keyOf(media), keyOf(other), name);
    assert.equal(keyOf(undefined, { key: "jo" })[2], "jo", name);
  }
  assert.equal(query.taskQuery(media, TASK).queryKey[3], "k");
  const { queryKey } = query.historyQuery(media);
  const limited = query.historyQuery(media, { limit: 3 }).queryKey;
  assert.deepEqual(limited, [...queryKey, { limit: 3 }]);
});

test("without a client or a task, the queries are disabled, and calls fail", async () => {
  const { media } = await client();
  const { context } = cache();
  for (const options of [
    query.taskQuery(undefined, TASK),
    query.pipelineQuery(undefined, "p"),
    query.historyQuery(undefined),
    query.modelsQuery(undefined),
    query.capabilitiesQuery(undefined),
  ]) {
    assert.equal(options.enabled, false);
    await failure(
      options.queryFn({ ...context, pageParam: undefined }),
      "not_loaded",
    );
  }
  for (const { mutationFn } of /** @type {any[]} */ ([
    query.createMutation(undefined, "text_to_image"),
    query.uploadMutation(undefined),
  ]))
    await failure(mutationFn({}), "not_loaded");
  assert.equal(query.taskQuery(media, undefined).enabled, false);
  assert.equal(query.pipelineQuery(media, undefined).enabled, false);
  assert.equal(query.taskQuery(media, TASK).enabled, true);
});

test("a task is followed while its query has an observer, and its data is plain", async () => {
  const output = { url: "https://a.test/1.png", kind: "image" };
  const { media, seen } = await client();
  const { context, shown } = cache();
  const { queryFn, select } = query.taskQuery(media, TASK);
  const result = queryFn(context);
  await until(() => seen.streams.length === 1);
  const [stream] = seen.streams;
  stream.write(mediagate.event("PROCESSING", 1));
  await until(() => shown.length === 1);
  const record = { id: "k", state: "SUCCEEDED", outputs: [output] };
  stream.write(
    `id: 2\nevent: task\ndata: ${JSON.stringify({ code: 0, data: { task: record } })}\n\n`,
  );
  const last = await result;
  assert.deepEqual(
    shown.map((data) => data.state),
    ["PROCESSING", "SUCCEEDED"],
  );
  assert.deepEqual(last, shown[1]);
  assert.deepEqual(methods(last.outputs[0]), ["undefined", "undefined"]);
  const restored = select(JSON.parse(JSON.stringify(last)));
  assert.deepEqual(methods(restored.outputs[0]), ["function", "function"]);
  assert.deepEqual(restored, JSON.parse(JSON.stringify(last)));
});

test("a task is read once without an observer, and the stream of an aborted query is closed", async () => {
  const { media, seen } = await client();
  const { context, controller } = cache();
  const read = query.taskQuery(media, TASK).queryFn(cache(false).context);
  await until(() => seen.streams.length === 1);
  seen.streams[0].write(mediagate.event("PROCESSING"));
  assert.equal((await read).state, "PROCESSING");
  await until(() => seen.open === 0);

  const followed = query.taskQuery(media, TASK).queryFn(context);
  await until(() => seen.open === 1);
  controller.abort();
  await failure(followed, "aborted");
  await until(() => seen.open === 0);
});

test("an ended task is read again only if its addresses may have expired", async () => {
  let url = "https://a.test/1.png";
  const { media, seen } = await client({
    "GET generate/tasks": () => withOutputs("SUCCEEDED", [{ url }]),
    "GET tasks/": () => Response.json({ code: 12 }, { status: 404 }),
  });
  const { context, state } = cache();
  const task = media.tasks.restore(TASK);
  const options = query.taskQuery(media, task);
  const first = await options.queryFn(context);
  state.data = first;
  const count = seen.lines.length;
  url = "https://a.test/2.png";
  const second = await options.queryFn(context);
  assert.equal(second.outputs[0]?.url, url);
  assert.equal(seen.lines.length, count + 1);

  const cached = (data, fetchStatus = "idle") => ({
    state: { data, status: data ? "success" : "pending", fetchStatus },
  });
  const running = cached({ ...first, state: "PROCESSING" });
  const followed = cached({ ...first, state: "PROCESSING" }, "fetching");
  const keptOutput = { ...first.outputs[0], kept: true };
  const keeping = cached({ ...first, outputs: [keptOutput] });
  const failed = cached({ ...first, state: "FAILED", outputs: [] });
  assert.deepEqual(
    [
      ...[cached(undefined), running, followed],
      ...[cached(first), keeping, failed],
    ].map((query) => [
      options.staleTime(query),
      options.refetchInterval(query),
      options.refetchOnWindowFocus(query),
      options.refetchOnReconnect(query),
    ]),
    [
      [0, false, true, true],
      [0, 1_000, true, true],
      [0, false, true, true],
      [300_000, false, false, false],
      [Infinity, false, false, false],
      [Infinity, false, false, false],
    ],
  );
});

test("the data gets the lasting address of a file that is kept after the end", async () => {
  let reads = 0;
  const { media } = await client({
    "GET tasks/": () => Response.json({ code: 12 }, { status: 404 }),
    "GET generate/tasks": () =>
      withOutputs("SUCCEEDED", [
        { url: `https://a.test/${++reads}`, kept: reads > 1 },
      ]),
  });
  const { context, state } = cache();
  const options = query.taskQuery(media, TASK);
  assert.equal((await options.queryFn(context)).outputs[0]?.kept, false);
  await until(() => state.data.outputs[0].kept);
  assert.deepEqual(methods(state.data.outputs[0]), ["undefined", "undefined"]);
});

test("a result that came without a task has a query", async () => {
  const { media } = await client();
  const result = { outputs: [{ url: "https://a.test/1.png" }] };
  const saved = { ...TASK, id: "", result };
  const { context } = cache();
  for (const task of /** @type {any[]} */ ([
    saved,
    media.tasks.restore(/** @type {any} */ (saved)),
  ])) {
    const { queryKey, queryFn } = query.taskQuery(media, task);
    assert.deepEqual(queryKey.slice(3), [saved]);
    const data = await queryFn(context);
    assert.deepEqual(data.raw, result);
    assert.deepEqual(await queryFn(context), data);
  }
});

test("a pipeline is followed, and its outputs get their methods", async () => {
  const outputs = [{ url: "https://a.test/1.png" }];
  const step = { name: "a", capability: "text_to_image", state: "SUCCEEDED" };
  const pipeline = {
    id: "p",
    state: "SUCCEEDED",
    steps: [{ ...step, task_id: "t", outputs }],
  };
  const { media } = await client({ "GET pipelines": () => ok({ pipeline }) });
  const { queryFn, select } = query.pipelineQuery(media, "p");
  const data = JSON.parse(JSON.stringify(await queryFn(cache().context)));
  const { state, steps, outputs: last } = select(data);
  assert.equal(state, "SUCCEEDED");
  for (const output of [steps[0]?.outputs[0], last[0]])
    assert.deepEqual(methods(output), ["function", "function"]);
});

test("the history is read page by page, and its outputs get their methods", async () => {
  const entry = {
    id: "k",
    capability: "text_to_image",
    created_at: "2026-11-20T09:30:00.000Z",
    outputs: [{ url: "https://a.test/1.png" }],
  };
  const { media, seen } = await client({
    "GET tasks?": () => ok({ tasks: [entry], cursor: "next" }),
    "GET tasks?limit=3&cursor": () => ok({ tasks: [] }),
  });
  const options = query.historyQuery(media, { limit: 3 });
  const { context } = cache();
  const read = (pageParam) => options.queryFn({ ...context, pageParam });
  const first = await read(options.initialPageParam);
  const cursor = options.getNextPageParam(first);
  const last = await read(cursor);
  assert.equal(options.getNextPageParam(last), undefined);
  assert.deepEqual(seen.lines, [
    "GET tasks?limit=3",
    "GET tasks?limit=3&cursor=next",
  ]);
  assert.deepEqual(Reflect.ownKeys(first), ["tasks", "pipelines", "cursor"]);
  const { pages } = options.select({ pages: [first], pageParams: [cursor] });
  assert.deepEqual(methods(pages[0]?.tasks[0]?.outputs[0]), [
    "function",
    "function",
  ]);
});

/** Makes a client whose creates get these answers, and lists the keys that it sends. */
async function creating(...answers) {
  const keys = [];
  const answer = () => answers.shift()();
  const gateway = mediagate.gateway({
    "POST process": answer,
    "POST generate": answer,
  });
  const fetch = (url, init) => {
    const key = new Headers(init.headers).get("idempotency-key");
    if (key) keys.push(key);
    return gateway.fetch(url, init);
  };
  return { media: await connect({ fetch, maxRetries: 0 }), keys };
}

const lost = () => {
  throw new TypeError("lost");
};
const made = () => Response.json(mediagate.record("PROCESSING"));
const refused = (status, code, data) => () =>
  Response.json({ code, message: "no", data }, { status });

test("a form that changes during a create leaves its key to the input that was sent", async () => {
  const keys = [];
  const { media } = await client(
    {
      "POST generate": (_, { headers }) => {
        keys.push(new Headers(headers).get("idempotency-key"));
        throw new TypeError("lost");
      },
    },
    { maxRetries: 0 },
  );
  const { mutationFn } = query.createMutation(media, "text_to_image");
  const form = { prompt: "a" };
  const first = failure(mutationFn(form), undefined, "unknown");
  form.prompt = "ab";
  await first;
  await failure(mutationFn({ prompt: "a" }));
  await failure(mutationFn({ prompt: "ab" }));
  assert.deepEqual(keys, [keys[0], keys[0], keys[2]]);
  assert.notEqual(keys[2], keys[0]);
});

test("a create with an unknown outcome is repeated by its key until that is known", async () => {
  const limited = refused(429, 16, { reason: "budget", outcome: "not_sent" });
  const { media, keys } = await creating(lost, limited, made, made);
  const create = () =>
    query
      .createMutation(media, "background_removal")
      .mutationFn({ file_id: "f" });
  await failure(create(), undefined, "unknown");
  await failure(create());
  assert.equal((await create()).id, "k");
  await create();
  const [first, second, third, fourth] = keys;
  assert.deepEqual([second, third], [first, first]);
  assert.notEqual(fourth, first);
});

test("only an equal create is a repetition", async () => {
  const { media, keys } = await creating(lost, lost, made, made, made, made);
  const create = (capability, input) =>
    query.createMutation(media, capability).mutationFn(input);
  const photo = file();
  await failure(create("background_removal", { file_id: photo }));
  await failure(create("text_to_image", { prompt: "p" }));
  await create("background_removal", { file_id: file() });
  await create("text_to_image_turbo", { prompt: "p" });
  assert.equal(new Set(keys).size, 4);
  await create("text_to_image", { prompt: "p" });
  await create("background_removal", { file_id: photo });
  assert.deepEqual(keys.slice(4), [keys[1], keys[0]]);
});

for (const [what, answer] of /** @type {const} */ ([
  ["rejected", refused(402, 1401, { outcome: "rejected" })],
  [
    "refused for its key",
    refused(422, 12, { reason: "idempotency_key_reused", outcome: "not_sent" }),
  ],
])) {
  test(`a create whose repetition is ${what} gets a new key`, async () => {
    const { media, keys } = await creating(lost, answer, made);
    const { mutationFn } = query.createMutation(media, "background_removal");
    await failure(mutationFn({ file_id: "f" }));
    await failure(mutationFn({ file_id: "f" }));
    await mutationFn({ file_id: "f" });
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[2], keys[0]);
  });
}

test("mutations pass their options on, and upload", async () => {
  const { media } = await client();
  const progress = [];
  const onProgress = (value) => progress.push(value);
  const upload = query.uploadMutation(media, { onProgress });
  assert.equal(await upload.mutationFn(file("xyz")), "f");
  assert.deepEqual(progress.at(-1), { loaded: 3, total: 3 });
  const { signal } = cache().controller;
  const create = query.createMutation(media, "text_to_image", { signal });
  assert.equal((await create.mutationFn({ prompt: "p" })).id, "k");
});
