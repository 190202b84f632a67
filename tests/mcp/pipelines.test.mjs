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
import { call as post, refusal } from "./support/client.mjs";

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
  const wait_seconds = { steps: film(), wait_seconds: 5 };
  const { errors } = refusal(await call("run_pipeline", wait_seconds)).data;
  assert.deepEqual(
    errors.map(({ path }) => path),
    ["wait_seconds"],
  );
  const keyed = { steps: film(), idempotency_key: 5 };
  const { data } = refusal(await call("run_pipeline", keyed));
  assert.equal(data.reason, "idempotency_key");
  const listed = (await call("list_tasks", {})).structuredContent;
  assert.deepEqual([listed.tasks, listed.pipelines], [[], []]);
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
  assert.match(next(resumed), /mediagate_get_pipeline/);
  assert.deepEqual(states((await wait(id)).pipeline), [
    "SUCCEEDED",
    "SUCCEEDED",
    "SUCCEEDED",
  ]);
  const refused = await call("resume_pipeline", { pipeline_id: id });
  assert.equal(refusal(refused).data.reason, "not_resumable");
});

test("only its owner can use a pipeline, and the tools explain their refusals", async () => {
  const { call, run } = await agent("owner");
  const steps = [film()[0]];
  const { id } = await run(steps);
  const mallory = await agent("mallory");
  for (const name of ["get_pipeline", "resume_pipeline", "cancel_pipeline"]) {
    const refused = await mallory.call(name, { pipeline_id: id });
    assert.equal(refusal(refused).data.reason, "unknown_pipeline", name);
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

test("without the objects of pipelines, a call names the missing binding", async (t) => {
  const gateway = await startGateway(
    { UPSTREAM_BASE_URL: stack.emulator },
    { objects: ["LEDGER", "WATCHER", "DURATIONS", "TRANSFER"] },
  );
  t.after(() => gateway.stop());
  const refused = await post(gateway.url, "run_pipeline", { steps: film() });
  assert.equal(refusal(refused).data.reason, "unknown_path");
  assert.match(refusal(refused).message, /PIPELINE/);
});
