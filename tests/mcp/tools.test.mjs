// Tool calls have the checks, ownership, budgets and ledger of the HTTP API, and results that a
// model can use.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { documented } from "../support/catalogue.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";
import { call, legacy, modern, refusal } from "./support/client.mjs";

/** The tools that are not capabilities. */
const OPERATIONS = [
  "request_upload",
  "get_task",
  "list_tasks",
  "run_pipeline",
  "get_pipeline",
  "resume_pipeline",
  "cancel_pipeline",
  "list_options",
  "estimate_credits",
];
const TURBO = "text_to_image_turbo";
const task = (status, more) => taskResponse(status, "task-1", more);

const { upstream, gateway, url } = await startWorld(() => task("QUEUED"), {
  PUBLIC_ASSETS: "avatar_1, voice_1",
  MCP_WAIT_SECONDS: "60",
});
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.respond = () => task("QUEUED");
});

const listTools = async (options) =>
  (await legacy(url, "tools/list", {}, options)).last.result;
const creates = () =>
  upstream.seen.filter((request) => request.method === "POST").length;

test("every offered capability is a tool with a description, and so are the operations around them", async () => {
  const { tools, nextCursor } = await listTools();
  const names = [
    ...documented.map((capability) => capability.name),
    ...OPERATIONS,
  ].map((name) => `mediagate_${name}`);
  assert.deepEqual(
    [tools.map((tool) => tool.name).sort(), nextCursor],
    [names.sort(), undefined],
  );
  for (const { name, title, outputSchema, annotations } of tools) {
    assert.ok(title && outputSchema.type === "object", name);
    assert.equal(annotations.destructiveHint, false, name);
  }
  const video = tools.find((tool) => tool.name === "mediagate_image_to_video");
  assert.deepEqual(video.inputSchema.required, ["file_id", "prompt"]);
  assert.deepEqual(
    [
      video.annotations.readOnlyHint,
      tools.find((tool) => tool.name === "mediagate_get_task").annotations
        .readOnlyHint,
    ],
    [false, true],
  );
  const newer = (await modern(url, "tools/list")).last.result;
  assert.deepEqual(newer.tools, tools);
  assert.deepEqual([newer.cacheScope, newer.ttlMs >= 0], ["private", true]);
});

test("a token lists and calls only the tools that its scope allows", async () => {
  const bearer = token("alice", "image_to_video");
  assert.deepEqual(
    (await listTools({ bearer })).tools.map((tool) => tool.name.slice(10)),
    [
      "image_to_video",
      ...OPERATIONS.filter((name) => name !== "request_upload"),
    ],
  );
  const upload = await call(
    url,
    "request_upload",
    { file_name: "a.png", content_type: "image/png", size: 5 },
    { bearer },
  );
  const created = await call(url, TURBO, { prompt: "p" }, { bearer });
  for (const result of [upload, created])
    assert.deepEqual(
      [refusal(result).code, refusal(result).data.reason],
      [13, "scope"],
    );
  assert.equal(upstream.seen.length, 0);
});

test("every issue of the arguments is listed, and nothing is sent", async () => {
  const result = await call(url, "split_video", {
    input_file_id: "another-callers",
    segments: [
      { start_time: "00:00:05", end_time: "00:00:01" },
      { start_time: 5 },
    ],
    extra: 1,
  });
  const error = refusal(result);
  assert.deepEqual(
    [result.isError, result.structuredContent, error.code, error.data.outcome],
    [true, undefined, 12, "not_sent"],
  );
  const paths = error.data.errors.map((error) => error.path);
  assert.deepEqual(paths.sort(), [
    "extra",
    "segments[0].end_time",
    "segments[1].end_time",
    "segments[1].start_time",
  ]);
  const foreign = refusal(
    await call(url, "image_to_video", { file_id: "raw-id", prompt: "p" }),
  );
  assert.deepEqual(
    foreign.data.errors.map((error) => [error.path, error.reason]),
    [["file_id", "unknown_id"]],
  );
  const own = refusal(
    await call(url, "get_task", { id: 5, wait_seconds: 0.5 }),
  );
  assert.deepEqual(own.data.errors.map((error) => error.path).sort(), [
    "id",
    "task_id",
    "wait_seconds",
  ]);
  const { data } = refusal(
    await call(url, TURBO, { prompt: "p", idempotency_key: 5 }),
  );
  assert.deepEqual(
    [data.reason, data.outcome],
    ["idempotency_key", "not_sent"],
  );
  assert.equal(upstream.seen.length, 0);
});

test("a create returns its task, and a repeated create returns the same one", async () => {
  const first = await call(url, TURBO, {
    prompt: "p",
    idempotency_key: "once",
  });
  assert.deepEqual(
    [first.isError, first.structuredContent.task.state],
    [false, "QUEUED"],
  );
  assert.deepEqual(JSON.parse(first.content[0].text), first.structuredContent);
  assert.match(first.content[1].text, /mediagate_get_task/);
  const again = await call(url, TURBO, {
    idempotency_key: "once",
    prompt: "p",
  });
  assert.deepEqual(
    [again.structuredContent, creates()],
    [first.structuredContent, 1],
  );
  assert.equal(JSON.parse(upstream.seen[0].body).idempotency_key, undefined);
  await call(url, TURBO, { prompt: "p" });
  await call(url, TURBO, { prompt: "p" });
  assert.equal(creates(), 3, "without a key each call is a new create");
  const bearer = token("poor", "generate:*", { budget: { creates: 0 } });
  const poor = await call(url, TURBO, { prompt: "p" }, { bearer });
  assert.equal(refusal(poor).data.reason, "budget");
});

test("the HTTP API shares the ledger", async () => {
  const init = {
    method: "POST",
    headers: {
      authorization: `Bearer ${token()}`,
      "idempotency-key": "shared",
    },
    body: '{"prompt":"p"}',
  };
  const created = await (
    await fetch(`${url}/api/app/v1/generate/image/text_to_image_turbo`, init)
  ).json();
  const again = await call(url, TURBO, {
    prompt: "p",
    idempotency_key: "shared",
  });
  assert.deepEqual(
    [again.structuredContent.task.id, creates()],
    [created.data.task.id, 1],
  );
});

test("only its owner can read a task, whatever id is requested", async () => {
  const { task } = (await call(url, TURBO, { prompt: "p" })).structuredContent;
  upstream.seen.length = 0;
  for (const [bearer, task_id] of [
    [token("mallory"), task.id],
    [token(), "task-1"],
    [token(), "../models"],
  ]) {
    const result = await call(url, "get_task", { task_id }, { bearer });
    assert.equal(refusal(result).data.reason, "unknown_task");
  }
  assert.equal(
    upstream.seen.length,
    0,
    "no request for another caller's task reaches the upstream",
  );
  assert.equal(
    (await call(url, "get_task", { task_id: task.id })).structuredContent.task
      .id,
    task.id,
  );
});

test("get_task waits for a task, and returns its current state when the time is over", async () => {
  const { task: created } = (await call(url, TURBO, { prompt: "waited for" }))
    .structuredContent;
  let polls = 0;
  upstream.respond = () =>
    task(++polls < 3 ? "RUNNING" : "SUCCEEDED", {
      output_url: "https://media.example/a.png",
    });
  const ended = await call(url, "get_task", {
    task_id: created.id,
    wait_seconds: 300,
  });
  assert.deepEqual(
    [ended.structuredContent.task.state, ended.content.length],
    ["SUCCEEDED", 1],
  );
  assert.equal(
    ended.structuredContent.task.outputs[0].url,
    "https://media.example/a.png",
  );

  upstream.respond = () => task("RUNNING");
  const other = (
    await call(url, TURBO, { prompt: "too long" }, { bearer: token("bob") })
  ).structuredContent.task;
  const running = await call(
    url,
    "get_task",
    { task_id: other.id, wait_seconds: 1 },
    { bearer: token("bob") },
  );
  assert.deepEqual(
    [running.isError, running.structuredContent.task.state],
    [false, "RUNNING"],
  );
  assert.match(running.content[1].text, /get_task/);
});

test("a call whose job fails is an error; reading the failed task is not", async () => {
  upstream.respond = () => task("FAILED", { error: "no face found" });
  const created = await call(url, TURBO, { prompt: "p" });
  assert.deepEqual(
    [created.isError, created.structuredContent.task.error],
    [true, { message: "no face found" }],
  );
  const read = await call(url, "get_task", {
    task_id: created.structuredContent.task.id,
  });
  assert.deepEqual(
    [read.isError, read.structuredContent.task.state],
    [false, "FAILED"],
  );
});

test("progress is sent on the call's own stream, always growing, and then the result", async () => {
  for (const send of [legacy, modern]) {
    let polls = 0;
    const steps = [
      ["RUNNING", 0.6],
      ["RUNNING", 0.2],
      ["SUCCEEDED", 1],
    ];
    upstream.respond = ({ method }) =>
      method === "POST"
        ? task("QUEUED")
        : task(
            ...((step) => [step[0], { progress: step[1] }])(
              steps[Math.min(polls++, 2)],
            ),
          );
    const bearer = token(send.name);
    const { messages, ...result } = await call(
      url,
      TURBO,
      { prompt: "p" },
      { send, bearer, meta: { progressToken: "p-1" } },
    );
    const notifications = messages.slice(0, -1);
    assert.ok(
      notifications.every(
        (notification) =>
          notification.method === "notifications/progress" &&
          notification.params.progressToken === "p-1" &&
          notification.params.total === 1,
      ),
    );
    assert.deepEqual(
      notifications.map((notification) => [
        notification.params.progress,
        notification.params.message,
      ]),
      [
        [0, "QUEUED"],
        [0.6, "RUNNING"],
      ],
      send.name,
    );
    assert.deepEqual(
      [result.structuredContent.task.state, result.resultType],
      ["SUCCEEDED", send === modern ? "complete" : undefined],
    );
  }
});

test("a task that cannot be read yet is returned as it was created, so that its id is not lost", async () => {
  for (const failure of [
    { status: 404, json: { message: "not found" } },
    { json: { code: 13 } },
  ]) {
    upstream.respond = ({ method }) =>
      method === "POST" ? task("QUEUED") : failure;
    const bearer = token(`early ${failure.status} ${failure.json.code}`);
    const { messages, ...result } = await call(
      url,
      TURBO,
      { prompt: "p" },
      { bearer, meta: { progressToken: 1 } },
    );
    assert.ok(messages.length > 1, "its progress was sent");
    assert.deepEqual(
      [result.isError, result.structuredContent.task.state],
      [false, "QUEUED"],
    );
    upstream.respond = () => task("RUNNING");
    assert.equal(
      (
        await call(
          url,
          "get_task",
          { task_id: result.structuredContent.task.id },
          { bearer },
        )
      ).structuredContent.task.state,
      "RUNNING",
    );
  }
});

test("models and public assets can be listed, and credits estimated", async () => {
  upstream.respond = ({ path }) => ({
    json: {
      code: 0,
      data: path.endsWith("/models")
        ? {
            models: [
              { model_id: "m", generation_options: { clarity: ["2K"] } },
            ],
          }
        : { credits: 4 },
    },
  });
  const { structuredContent: options } = await call(url, "list_options");
  assert.deepEqual(options, {
    any_asset: false,
    public_assets: ["avatar_1", "voice_1"],
    own_assets: [],
    catalogue: {
      models: [{ model_id: "m", generation_options: { clarity: ["2K"] } }],
    },
  });
  const { structuredContent: short } = await call(url, "list_options", {
    catalogue: false,
  });
  const { catalogue: _, ...assets } = options;
  assert.deepEqual(short, assets);
  const estimate = await call(url, "estimate_credits", {
    capability: TURBO,
    input: { prompt: "p" },
  });
  assert.deepEqual(estimate.structuredContent, { credits: 4 });
  upstream.seen.length = 0;
  const keyed = await call(url, "estimate_credits", {
    capability: TURBO,
    input: { prompt: "p", idempotency_key: "k" },
  });
  assert.deepEqual(
    [keyed.structuredContent, JSON.parse(upstream.seen[0].body)],
    [{ credits: 4 }, { prompt: "p" }],
  );
});

test("an upstream error is passed on, without the API key", async () => {
  upstream.respond = () => ({
    status: 402,
    json: {
      code: 1409,
      message: `no plan for ${SETTINGS.UPSTREAM_API_KEY}`,
      data: { paid_plan_required: { plan: "starter" } },
    },
  });
  const error = refusal(await call(url, TURBO, { prompt: "p" }));
  assert.deepEqual(
    [error.code, error.name, error.data.outcome, error.data.paid_plan_required],
    [1409, "paid_plan_required", "rejected", { plan: "starter" }],
  );
  assert.ok(!JSON.stringify(error).includes(SETTINGS.UPSTREAM_API_KEY));
  const logs = gateway.logs.join("\n");
  assert.ok(
    !logs.includes(SETTINGS.UPSTREAM_API_KEY) &&
      !logs.includes(token().slice(0, 40)),
  );
});

// Last, since its gateway replaces the one of the other tests.
test("a call that takes too long returns the task before the client times out", async () => {
  const impatient = await startWorld(() => task("RUNNING", { progress: 0.5 }), {
    MCP_WAIT_SECONDS: "8",
  });
  const { messages, ...result } = await call(
    impatient.url,
    TURBO,
    { prompt: "p" },
    { bearer: token("patient"), meta: { progressToken: 1 } },
  );
  assert.equal(messages.at(-2).params.progress, 0.5);
  assert.deepEqual(
    [result.isError, result.structuredContent.task.state],
    [false, "RUNNING"],
  );
  assert.match(result.content[1].text, /don't make it again/);
});
