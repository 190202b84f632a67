// Pipelines: with one call, an agent has the gateway run several tools that use each other's
// outputs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { startGateway } from "../support/gateway.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";
import { legacy, call as post, refusal } from "./support/client.mjs";

const ALL = "mcp upload generate:* process:*";

let stack, clients;
before(async () => {
  clients = [];
  stack = await startStack({
    assets: false,
    flags: ["--task-seconds", "0.6"],
    settings: { MCP_WAIT_SECONDS: "40" },
  });
});
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await stack?.stop();
});

/** Connects an agent's own client, which checks each result against the schema of its tool. */
async function agent(subject, scope = ALL, claims = {}) {
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const authorization = `Bearer ${token(subject, scope, { exp, jti: subject, ...claims })}`;
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const requestInit = { headers: { authorization } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`), {
      requestInit,
    }),
  );
  clients.push(client);
  /** @type {{ tools: any[] }} */
  const { tools } = await client.listTools();
  /** @type {(name: string, input: Record<string, unknown>) => Promise<any>} */
  const call = (name, input) =>
    client.callTool({ name: `mediagate_${name}`, arguments: input });
  const wait = async (pipeline_id) =>
    (await call("get_pipeline", { pipeline_id, wait_seconds: 40 }))
      .structuredContent;
  const run = async (steps) =>
    (await call("run_pipeline", { steps })).structuredContent.pipeline;
  return { tools, call, run, wait };
}

/**
 * Returns the steps for a picture that becomes a video. `still` and `clip` are further fields of
 * the steps' inputs.
 */
const film = (still = {}, clip = {}) => [
  {
    name: "still",
    capability: "text_to_image_turbo",
    input: { prompt: "a lighthouse", ...still },
  },
  {
    name: "clip",
    capability: "image_to_video",
    input: {
      file_id: "step:still",
      prompt: "slow push in",
      duration_seconds: 1,
      ...clip,
    },
  },
];
const states = ({ state, steps }) => [
  state,
  ...steps.map((step) => step.state),
];
/** Returns the sentence about the next step, which a result has after its content. */
const next = (result) => result.content[1]?.text ?? "";

/** Makes the emulator fail this many requests of a path. */
const fail = async (path, words, times = 1) => {
  const body = JSON.stringify({
    faults: [{ path, method: "POST", do: words, times }],
  });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${stack.admin}/scene`, {
    method: "PATCH",
    headers,
    body,
  });
  assert.ok(response.ok, await response.text());
};

test("a picture becomes a video, with no call in between", async () => {
  const { call, wait } = await agent("film");
  const request = {
    title: "Lighthouse",
    steps: film(),
    idempotency_key: "film-1",
  };
  const started = await call("run_pipeline", request);
  assert.ok(!started.isError, started.content[0].text);
  const { id, title, state, steps } = started.structuredContent.pipeline;
  assert.deepEqual(
    [title, state, steps.map((step) => step.name)],
    ["Lighthouse", "RUNNING", ["still", "clip"]],
  );
  assert.match(next(started), /mediagate_get_pipeline/);
  assert.deepEqual(
    JSON.parse(started.content[0].text),
    started.structuredContent,
  );

  const { pipeline } = await wait(id);
  assert.deepEqual(
    states(pipeline),
    ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED"],
    JSON.stringify(pipeline),
  );
  assert.deepEqual(
    pipeline.outputs.map((output) => output.kind),
    ["video"],
  );
  const video = new Uint8Array(
    await (await fetch(pipeline.outputs[0].url)).arrayBuffer(),
  );
  assert.equal(new TextDecoder().decode(video.subarray(4, 8)), "ftyp");
  const { task } = (
    await call("get_task", { task_id: pipeline.steps[1].task_id })
  ).structuredContent;
  assert.deepEqual([task.state, task.outputs.length], ["SUCCEEDED", 1]);

  const again = await call("run_pipeline", request);
  assert.deepEqual(
    [again.structuredContent.pipeline.id, next(again)],
    [id, ""],
  );
  const reused = await call("run_pipeline", { ...request, title: "Another" });
  assert.equal(refusal(reused).data.reason, "idempotency_key_reused");
  const listed = (await call("list_tasks", {})).structuredContent;
  assert.deepEqual(
    [listed.pipelines.map((pipeline) => pipeline.id), listed.tasks.length],
    [[id], 2],
  );
});

test("an error in a pipeline is reported with its path, and nothing is created", async () => {
  const { call } = await agent("careless");
  const steps = film(
    { promt: "typo" },
    { file_id: "step:stil", idempotency_key: "x" },
  );
  const error = refusal(await call("run_pipeline", { steps }));
  assert.equal(error.data.reason, "invalid_fields");
  assert.deepEqual(
    error.data.errors.map((error) => `${error.path} ${error.reason}`).sort(),
    [
      "steps.clip.input.file_id unknown_step",
      "steps.clip.input.idempotency_key unknown_field",
      "steps.still.input.promt unknown_field",
    ],
  );
  for (const [
    input,
    path,
  ] of /** @type {[Record<string, unknown>, string][]} */ ([
    [{}, "steps"],
    [{ steps: [] }, "steps"],
    [{ steps: { still: film()[0] } }, "steps"],
    [{ steps: [{ capability: "text_to_image_turbo" }] }, "steps[0].name"],
    [{ steps: [film()[0], film()[0]] }, "steps[1].name"],
    [
      { steps: film({}, { file_id: "step:still:x" }) },
      "steps.clip.input.file_id.output",
    ],
    [{ steps: film(), title: 5 }, "title"],
    [{ steps: film(), wait_seconds: 5 }, "wait_seconds"],
    [
      { steps: [{ name: "a", capability: "run_pipeline", input: {} }] },
      "steps.a.capability",
    ],
  ])) {
    const { errors } = refusal(await call("run_pipeline", input)).data;
    assert.ok(
      errors.some((error) => error.path === path),
      `${path}: ${JSON.stringify(errors)}`,
    );
  }
  for (const idempotency_key of [5, {}, "a b", ""]) {
    const { data } = refusal(
      await call("run_pipeline", { steps: film(), idempotency_key }),
    );
    assert.equal(data.reason, "idempotency_key", String(idempotency_key));
  }
  const listed = (await call("list_tasks", {})).structuredContent;
  assert.deepEqual([listed.tasks, listed.pipelines], [[], []]);
});

test("every step must be in the scope", async () => {
  const { tools, call } = await agent(
    "narrow",
    "mcp upload text_to_image_turbo",
  );
  const { inputSchema } = tools.find(
    (tool) => tool.name === "mediagate_run_pipeline",
  );
  const { capability } = inputSchema.properties.steps.items.properties;
  assert.deepEqual(capability.enum, ["text_to_image_turbo"]);
  const error = refusal(await call("run_pipeline", { steps: film() }));
  assert.equal(error.data.reason, "scope");
  assert.deepEqual(
    [error.data.capability, /image_to_video/.test(error.message)],
    ["image_to_video", true],
  );
  assert.deepEqual(
    (await call("list_tasks", {})).structuredContent.pipelines,
    [],
  );

  const none = await agent("none", "mcp upload");
  const names = none.tools
    .map((tool) => tool.name)
    .filter((tool) => tool.includes("pipeline"));
  assert.deepEqual(names, [
    "mediagate_get_pipeline",
    "mediagate_cancel_pipeline",
  ]);
});

test("a budget holds for all creates of a pipeline at once", async () => {
  const { call } = await agent("poor", ALL, { budget: { creates: 1 } });
  const { data } = refusal(await call("run_pipeline", { steps: film() }));
  assert.deepEqual([data.limit, data.needed, data.left], ["creates", 2, 1]);
});

test("a step that failed is resumed, and the others are not repeated", async () => {
  const { call, run, wait } = await agent("unlucky");
  await fail("generate/video/*", "code=1401");
  const { id } = await run(film());
  const result = await call("get_pipeline", {
    pipeline_id: id,
    wait_seconds: 40,
  });
  const { pipeline: failed } = result.structuredContent;
  assert.deepEqual(
    [result.isError, ...states(failed)],
    [false, "FAILED", "SUCCEEDED", "FAILED"],
    JSON.stringify(failed),
  );
  assert.deepEqual(
    [failed.resumable, failed.steps[1].error.code, failed.outputs],
    [true, 1401, []],
  );
  assert.match(next(result), /mediagate_resume_pipeline/);

  const resumed = await call("resume_pipeline", { pipeline_id: id });
  assert.equal(
    resumed.structuredContent.pipeline.state,
    "RUNNING",
    resumed.content[0].text,
  );
  assert.match(next(resumed), /mediagate_get_pipeline/);
  const { pipeline } = await wait(id);
  assert.deepEqual(
    states(pipeline),
    ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED"],
    JSON.stringify(pipeline),
  );
  assert.equal(pipeline.steps[0].task_id, failed.steps[0].task_id);
  assert.equal(
    (await call("list_tasks", {})).structuredContent.tasks.length,
    2,
  );

  const refused = await call("resume_pipeline", { pipeline_id: id });
  assert.equal(refusal(refused).data.reason, "not_resumable");
});

test("a step whose outcome is unknown is not sent again", async () => {
  const { call, run } = await agent("unsure");
  await fail("generate/image/*", "cut late");
  const { id } = await run(film());
  const result = await call("get_pipeline", {
    pipeline_id: id,
    wait_seconds: 40,
  });
  const { pipeline } = result.structuredContent;
  assert.deepEqual(
    states(pipeline),
    ["FAILED", "UNKNOWN", "SKIPPED"],
    JSON.stringify(pipeline),
  );
  assert.deepEqual(
    [pipeline.resumable, /UNKNOWN/.test(next(result))],
    [false, true],
  );
  assert.doesNotMatch(next(result), /resume_pipeline/);
});

test("a cancelled pipeline creates nothing more, and can be resumed", async () => {
  const { call, run, wait } = await agent("hasty");
  const steps = film({ title: "emulate: seconds=10" });
  const { id } = await run(steps);
  let early;
  do
    early = (await call("get_pipeline", { pipeline_id: id, wait_seconds: 1 }))
      .structuredContent.pipeline;
  while (
    early.steps[0].state === "WAITING" ||
    early.steps[0].state === "CREATING"
  );
  assert.deepEqual(
    states(early),
    ["RUNNING", "RUNNING", "WAITING"],
    "as it is when the wait is over",
  );
  const cancelled = await call("cancel_pipeline", { pipeline_id: id });
  assert.deepEqual(states(cancelled.structuredContent.pipeline), [
    "RUNNING",
    "RUNNING",
    "CANCELLED",
  ]);
  const { pipeline } = await wait(id);
  assert.deepEqual(
    [...states(pipeline), pipeline.resumable],
    ["CANCELLED", "SUCCEEDED", "CANCELLED", true],
  );
  const resumed = await call("resume_pipeline", { pipeline_id: id });
  assert.ok(!resumed.isError, resumed.content[0].text);
  assert.deepEqual(states((await wait(id)).pipeline), [
    "SUCCEEDED",
    "SUCCEEDED",
    "SUCCEEDED",
  ]);
});

test("only its owner can use a pipeline, and the tools explain their refusals", async () => {
  const { call, run } = await agent("owner");
  const steps = [film()[0]];
  const { id } = await run(steps);
  const mallory = await agent("mallory");
  for (const name of ["get_pipeline", "resume_pipeline", "cancel_pipeline"]) {
    for (const pipeline_id of [id, "x".repeat(9_000), "raw"]) {
      const refused = await mallory.call(name, { pipeline_id });
      assert.equal(refusal(refused).data.reason, "unknown_pipeline", name);
    }
    const { errors } = refusal(
      await call(name, { id, wait_seconds: 0.5 }),
    ).data;
    const wait =
      name === "get_pipeline"
        ? "wait_seconds out_of_range"
        : "wait_seconds unknown_field";
    assert.deepEqual(
      errors.map((error) => `${error.path} ${error.reason}`).sort(),
      ["id unknown_field", "pipeline_id missing", wait],
    );
  }
  const negative = refusal(
    await call("get_pipeline", { pipeline_id: id, wait_seconds: -1 }),
  );
  assert.equal(negative.data.reason, "invalid_fields");
});

test("there are no such tools if pipelines are disabled, and a call names the missing setting", async () => {
  const started = [];
  const start = async (settings, options) => {
    const gateway = await startGateway(
      { UPSTREAM_BASE_URL: stack.emulator, ...settings },
      options,
    );
    started.push(gateway);
    return gateway.url;
  };
  try {
    const off = await start({ PIPELINE_STEPS: "0" });
    const { tools } = (await legacy(off, "tools/list")).last.result;
    assert.ok(tools.every((tool) => !tool.name.includes("pipeline")));
    const unknown = await legacy(off, "tools/call", {
      name: "mediagate_run_pipeline",
      arguments: { steps: film() },
    });
    assert.equal(unknown.last.error.code, -32602);
    const unbound = await start(
      {},
      { objects: ["LEDGER", "WATCHER", "DURATIONS", "TRANSFER"] },
    );
    const refused = await post(unbound, "run_pipeline", { steps: film() });
    assert.equal(refusal(refused).data.reason, "unknown_path");
    assert.match(refusal(refused).message, /PIPELINE/);
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
});
