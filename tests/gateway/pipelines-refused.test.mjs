// Reasons that refuse or stop a pipeline: its content, the scope, limits, other callers, a revoked
// token.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  clip,
  picture,
  startPipelines,
  states,
} from "../support/pipelines.mjs";
import { token } from "../support/token.mjs";
import { reasonOf } from "../support/transfers.mjs";

const seconds = () => Math.floor(Date.now() / 1000);

const FILM = { still: picture("a lighthouse"), clip: clip({ step: "still" }) };

test("an invalid pipeline is refused before anything is sent", async (t) => {
  const { start, send, creates, upstream } = await startPipelines(t);
  const cases = [
    [
      { still: picture("p"), clip: clip({ step: "gone" }) },
      "steps.clip.input.file_id",
      "unknown_step",
    ],
    [
      { still: picture("p"), clip: clip("foreign-file") },
      "steps.clip.input.file_id",
      "unknown_id",
    ],
    [
      { still: picture("p", { camera: 1 }) },
      "steps.still.input.camera",
      "unknown_field",
    ],
  ];
  for (const [steps, path, reason] of cases) {
    const reply = await start(steps);
    assert.equal(reasonOf(reply), "invalid_fields", reply.text);
    assert.ok(
      reply.data.errors.some(
        (error) => error.path === path && error.reason === reason,
      ),
      `${path}: ${reply.text.slice(0, 500)}`,
    );
  }
  const scope = await start(FILM, {
    bearer: token("alice", "upload text_to_image_turbo"),
  });
  assert.deepEqual(
    [reasonOf(scope), scope.data.capability],
    ["scope", "image_to_video"],
  );
  const upload = await start(FILM, { bearer: token("alice", "generate:*") });
  assert.equal(reasonOf(upload), "scope");
  const key = await start(FILM, { headers: { "idempotency-key": "a b" } });
  assert.deepEqual(
    [reasonOf(key), key.data.outcome],
    ["idempotency_key", "not_sent"],
  );
  const outside = await send("generate/video/image_to_video", {
    body: clip({ step: "still" }).input,
  });
  assert.equal(
    reasonOf(outside),
    "invalid_fields",
    "a create has no steps to refer to",
  );
  assert.equal(
    reasonOf(await send("pipelines", { body: [] })),
    "invalid_fields",
  );
  assert.deepEqual([creates.length, upstream.seen], [0, []]);
});

test("a pipeline whose creates exceed a budget does not start, and neither do two that exceed it together", async (t) => {
  const world = await startPipelines(t);
  const { start, send, ended, creates } = world;
  const bearer = token("alice", "generate:* upload", {
    budget: { creates: 3 },
  });
  const four = Object.fromEntries(
    Array.from({ length: 4 }, (_, index) => [`s${index}`, picture("p")]),
  );
  const reply = await start(four, { bearer });
  assert.deepEqual(
    [reasonOf(reply), reply.data.limit, reply.data.needed, reply.data.left],
    ["budget", "creates", 4, 3],
  );
  assert.equal(reply.headers.get("retry-after"), null, "waiting does not help");
  assert.equal(creates.length, 0);
  const chain = { still: picture("slow one"), clip: clip({ step: "still" }) };
  const first = await start(chain, { bearer });
  assert.equal(first.status, 200, first.text);
  const second = await start(FILM, { bearer });
  assert.deepEqual([reasonOf(second), second.data.left], ["budget", 1]);
  world.released = true;
  assert.equal(
    (await ended(first.data.pipeline.id, { bearer })).state,
    "SUCCEEDED",
  );
  const last = await send("generate/image/text_to_image_turbo", {
    body: { prompt: "p" },
    bearer,
  });
  assert.equal(last.status, 200, "two of three are counted");
  const none = await send("generate/image/text_to_image_turbo", {
    body: { prompt: "p" },
    bearer,
  });
  assert.equal(reasonOf(none), "budget");
});

test("only the allowed number of pipelines runs at once, and steps wait for a slot", async (t) => {
  const world = await startPipelines(t, {
    settings: { PIPELINES_AT_ONCE: "1" },
  });
  const { start, until, ended } = world;
  const bearer = token("alice", "generate:* upload", {
    budget: { in_flight: 1 },
  });
  const two = { a: picture("slow a"), b: picture("slow b") };
  const first = (await start(two, { bearer })).data.pipeline;
  await until(
    first.id,
    (pipeline) => pipeline.steps.some((step) => step.state === "RUNNING"),
    { bearer },
  );
  const other = await start(two, { bearer });
  assert.deepEqual(
    [reasonOf(other), other.data.limit],
    ["budget", "pipelines"],
  );
  world.released = true;
  assert.equal((await ended(first.id, { bearer })).state, "SUCCEEDED");
  assert.equal((await start(two, { bearer })).status, 200);
});

test("another caller can't read, follow, resume, cancel or remove a pipeline", async (t) => {
  const { begin, ended, send, read } = await startPipelines(t);
  const id = await begin({ still: picture("p") });
  await ended(id);
  for (const unknownId of [id, "nonsense"]) {
    const bearer = unknownId === id ? token("bob") : token();
    for (const [path, method] of [
      ["", "GET"],
      ["", "DELETE"],
      ["/events", "GET"],
      ["/resume", "POST"],
      ["/cancel", "POST"],
    ]) {
      const reply = await send(`pipelines/${unknownId}${path}`, {
        method,
        bearer,
      });
      assert.equal(reasonOf(reply), "unknown_pipeline", `${method} ${path}`);
    }
  }
  assert.equal((await read(id)).state, "SUCCEEDED");
});

for (const [how, settings] of /** @type {[string, () => any][]} */ ([
  ["its time", () => ({ SESSION_NOT_BEFORE: String(seconds()) })],
  ["its id", () => ({ MCP_REVOKED_TOKENS: "token-7" })],
])) {
  test(`a token that is revoked by ${how} stops unsent creates, and another token resumes the pipeline`, async (t) => {
    const world = await startPipelines(t, { persist: true });
    const { begin, until, ended, restart, send, creates } = world;
    const revoked = token("alice", undefined, { jti: "token-7" });
    const id = await begin(
      { still: picture("slow"), clip: clip({ step: "still" }) },
      { bearer: revoked },
    );
    await until(id, (pipeline) => pipeline.steps[0].state === "RUNNING");
    await sleep(1100);
    await restart(settings());
    world.released = true;
    const bearer = token("alice");
    const stopped = await ended(id, { bearer });
    assert.deepEqual(states(stopped), {
      still: "SUCCEEDED",
      clip: "CANCELLED",
    });
    assert.equal(stopped.steps[1].error.reason, "revoked_token");
    assert.equal(creates.length, 1);
    await send(`pipelines/${id}/resume`, { method: "POST", bearer });
    assert.equal((await ended(id, { bearer })).state, "SUCCEEDED");
  });
}

test("a caller's input is sent unchanged, but no file of another caller", async (t) => {
  const { begin, start, ended, creates, send } = await startPipelines(t);
  // Like the placeholder of an output that does not exist yet.
  const prompt = 'output 0 {"step":"still"}';
  const id = await begin({
    still: picture(prompt),
    clip: clip({ step: "still" }, prompt),
  });
  const film = await ended(id);
  assert.deepEqual(
    [film.state, creates.map((create) => create.body.prompt)],
    ["SUCCEEDED", [prompt, prompt]],
  );
  const { file_id } = (
    await send("files", {
      body: { task_id: film.steps[0].task_id, output: 0 },
    })
  ).data;
  assert.equal(
    (await start({ clip: clip(file_id) })).status,
    200,
    "a file of the caller's own",
  );
  const foreign = await start(
    { clip: clip(file_id) },
    { bearer: token("bob") },
  );
  assert.deepEqual(
    foreign.data.errors.map((error) => [error.path, error.reason]),
    [["steps.clip.input.file_id", "unknown_id"]],
  );
});

test("a pipeline whose request is too large is refused", async (t) => {
  const { start } = await startPipelines(t);
  const steps = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `s${index}`,
      picture("p".repeat(index === 0 ? 490_000 : 1_000)),
    ]),
  );
  assert.equal(reasonOf(await start(steps)), "body_too_large");
});

test("with no steps allowed, no pipeline starts, and those that were started can still be read, stopped and removed", async (t) => {
  const world = await startPipelines(t, { persist: true });
  const { start, begin, until, ended, restart, send } = world;
  const id = await begin({
    still: picture("slow"),
    clip: clip({ step: "still" }),
  });
  await until(id, (pipeline) => pipeline.steps[0].state === "RUNNING");
  await restart({ PIPELINE_STEPS: "0" });
  assert.equal(
    (await send(`pipelines/${id}/cancel`, { method: "POST" })).status,
    200,
  );
  world.released = true;
  assert.equal((await ended(id)).state, "CANCELLED");
  const refused = await start(FILM);
  assert.equal(reasonOf(refused), "unknown_path");
  assert.match(refused.message, /PIPELINE_STEPS/);
  assert.equal(
    reasonOf(await send(`pipelines/${id}/resume`, { method: "POST" })),
    "unknown_path",
  );
  assert.equal(
    (await send(`pipelines/${id}`, { method: "DELETE" })).status,
    200,
  );
});

test("pipelines are refused if outputs would have to be moved and no hosts are listed", async (t) => {
  const { begin, start, ended } = await startPipelines(t, {
    settings: { OUTPUT_HOSTS: "" },
  });
  assert.equal(reasonOf(await start(FILM)), "outputs_not_moved");
  const id = await begin({ still: picture("p") });
  assert.equal((await ended(id)).state, "SUCCEEDED");
});

test("a resume may use what its own token allows, not what the first token did", async (t) => {
  const world = await startPipelines(t);
  const { start, send, ended, creates } = world;
  const input = {
    avatar_asset_id: "team-avatar",
    voice_asset_id: "team-voice",
    text: "fail",
  };
  const steps = { a: { capability: "text_driven", input } };
  const assets = token("alice", "generate:* process:* upload", {
    assets: ["team-avatar", "team-voice"],
  });
  const first = await start(steps, { bearer: assets });
  assert.equal(first.status, 200, first.text);
  const { id } = first.data.pipeline;
  assert.equal((await ended(id, { bearer: assets })).state, "FAILED");
  world.mended = true;
  const before = creates.length;
  const refusedResume = await send(`pipelines/${id}/resume`, {
    method: "POST",
    bearer: token("alice"),
  });
  assert.equal(reasonOf(refusedResume), "invalid_fields", refusedResume.text);
  assert.match(refusedResume.data.errors[0].path, /^steps\.a\.input\./);
  assert.equal(creates.length, before);
  const resumed = await send(`pipelines/${id}/resume`, {
    method: "POST",
    bearer: assets,
  });
  assert.equal(resumed.status, 200, resumed.text);
  assert.equal((await ended(id, { bearer: assets })).state, "SUCCEEDED");
});
