// Reasons that refuse or stop a pipeline: its content, the scope, limits, other callers, a revoked
// token.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { clip, picture, states, withPipelines } from "../support/pipelines.mjs";
import { token } from "../support/token.mjs";
import { refused } from "../support/transfers.mjs";

const FILM = { still: picture("a lighthouse"), clip: clip({ step: "still" }) };

test("an invalid pipeline is refused before anything is sent", () =>
  withPipelines(async ({ start, send, creates, upstream }) => {
    const cases = [
      [
        { still: picture("p"), clip: clip({ step: "gone" }) },
        "steps.clip.input.file_id",
        "unknown_step",
      ],
      [
        { a: clip({ step: "b" }), b: clip({ step: "a" }) },
        "steps.a.input.file_id",
        "wrong_type",
      ],
      [
        { still: picture("p"), clip: clip("foreign-file") },
        "steps.clip.input.file_id",
        "unknown_id",
      ],
      [
        { ...FILM, clip: clip({ step: "still" }, "") },
        "steps.clip.input.prompt",
        "empty",
      ],
      [
        { still: picture("p", { camera: 1 }) },
        "steps.still.input.camera",
        "unknown_field",
      ],
      [
        { still: { capability: "nothing", input: {} } },
        "steps.still.capability",
        "unknown_capability",
      ],
      [{}, "steps", "out_of_range"],
      [
        Object.fromEntries(
          Array.from({ length: 1000 }, (_, index) => [
            `s${index}`,
            picture("p"),
          ]),
        ),
        "steps",
        "out_of_range",
      ],
    ];
    for (const [steps, path, reason] of cases) {
      const reply = await start(steps);
      assert.deepEqual(refused(reply), [400, 12, "invalid_fields"], reply.text);
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
      [...refused(scope), scope.data.capability],
      [403, 13, "scope", "image_to_video"],
    );
    const upload = await start(FILM, { bearer: token("alice", "generate:*") });
    assert.deepEqual(refused(upload), [403, 13, "scope"]);
    const key = await start(FILM, { headers: { "idempotency-key": "a b" } });
    assert.deepEqual(
      [...refused(key), key.data.outcome],
      [400, 12, "idempotency_key", "not_sent"],
    );
    const outside = await send("generate/video/image_to_video", {
      body: clip({ step: "still" }).input,
    });
    assert.deepEqual(
      refused(outside),
      [400, 12, "invalid_fields"],
      "a create has no steps to refer to",
    );
    assert.deepEqual(refused(await send("pipelines", { body: [] })), [
      400,
      12,
      "invalid_fields",
    ]);
    assert.deepEqual([creates.length, upstream.seen], [0, []]);
  }));

test("a pipeline whose creates exceed a budget does not start, and neither do two that exceed it together", () =>
  withPipelines(async (world) => {
    const { start, send, ended, creates } = world;
    const bearer = token("alice", "generate:* upload", {
      budget: { creates: 3 },
    });
    const four = Object.fromEntries(
      Array.from({ length: 4 }, (_, index) => [`s${index}`, picture("p")]),
    );
    const reply = await start(four, { bearer });
    assert.deepEqual(
      [...refused(reply), reply.data.limit, reply.data.needed, reply.data.left],
      [429, 16, "budget", "creates", 4, 3],
    );
    assert.equal(
      reply.headers.get("retry-after"),
      null,
      "waiting does not help",
    );
    assert.equal(creates.length, 0);
    const chain = { still: picture("slow one"), clip: clip({ step: "still" }) };
    const first = await start(chain, { bearer });
    assert.equal(first.status, 200, first.text);
    const second = await start(FILM, { bearer });
    assert.deepEqual(
      [...refused(second), second.data.left],
      [429, 16, "budget", 1],
    );
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
    assert.deepEqual(refused(none), [429, 16, "budget"]);
  }));

test("only the allowed number of pipelines runs at once, and steps wait for a slot", () =>
  withPipelines(
    async (world) => {
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
        [...refused(other), other.data.limit],
        [429, 16, "budget", "pipelines"],
      );
      world.released = true;
      assert.equal((await ended(first.id, { bearer })).state, "SUCCEEDED");
      assert.equal((await start(two, { bearer })).status, 200);
    },
    { settings: { PIPELINES_AT_ONCE: "1" } },
  ));

test("another caller can't read, follow, resume, cancel or remove a pipeline", () =>
  withPipelines(async ({ start, ended, send, read }) => {
    const { id } = (await start({ still: picture("p") })).data.pipeline;
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
        assert.deepEqual(
          refused(reply),
          [404, 12, "unknown_pipeline"],
          `${method} ${path}`,
        );
      }
    }
    assert.equal((await read(id)).state, "SUCCEEDED");
  }));

test("a revoked token stops unsent creates, and another token resumes the pipeline", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, send, creates } = world;
      const { id } = (
        await start({ still: picture("slow"), clip: clip({ step: "still" }) })
      ).data.pipeline;
      await until(id, (pipeline) => pipeline.steps[0].state === "RUNNING");
      await sleep(1100);
      await restart({
        SESSION_NOT_BEFORE: String(Math.floor(Date.now() / 1000)),
      });
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
    },
    { persist: true },
  ));

test("a caller's input is sent unchanged, but no file of another caller", () =>
  withPipelines(async ({ start, ended, creates, send }) => {
    // Like the placeholder of an output that does not exist yet.
    const prompt = 'output 0 {"step":"still"}';
    const { id } = (
      await start({
        still: picture(prompt),
        clip: clip({ step: "still" }, prompt),
      })
    ).data.pipeline;
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
  }));

test("revoking an agent's token by its id stops unsent creates", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, creates } = world;
      const bearer = token("alice", "generate:* upload", { jti: "token-7" });
      const { id } = (
        await start(
          { still: picture("slow"), clip: clip({ step: "still" }) },
          { bearer },
        )
      ).data.pipeline;
      await until(id, (pipeline) => pipeline.steps[0].state === "RUNNING");
      await restart({ MCP_REVOKED_TOKENS: "token-7" });
      world.released = true;
      assert.deepEqual(states(await ended(id)), {
        still: "SUCCEEDED",
        clip: "CANCELLED",
      });
      assert.equal(creates.length, 1);
    },
    { persist: true },
  ));

test("a pipeline whose request is too large is refused", () =>
  withPipelines(async ({ start }) => {
    const steps = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `s${index}`,
        picture("p".repeat(index === 0 ? 490_000 : 1_000)),
      ]),
    );
    assert.deepEqual(refused(await start(steps)), [413, 12, "body_too_large"]);
  }));

test("with no steps allowed, pipelines that were started can still be read, stopped and removed", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, send } = world;
      const { id } = (
        await start({ still: picture("slow"), clip: clip({ step: "still" }) })
      ).data.pipeline;
      await until(id, (pipeline) => pipeline.steps[0].state === "RUNNING");
      await restart({ PIPELINE_STEPS: "0" });
      assert.equal(
        (await send(`pipelines/${id}/cancel`, { method: "POST" })).status,
        200,
      );
      world.released = true;
      assert.equal((await ended(id)).state, "CANCELLED");
      assert.deepEqual(
        refused(await send(`pipelines/${id}/resume`, { method: "POST" })),
        [404, 12, "unknown_path"],
      );
      assert.equal(
        (await send(`pipelines/${id}`, { method: "DELETE" })).status,
        200,
      );
    },
    { persist: true },
  ));

test("pipelines are refused if no steps are allowed, or if outputs would have to be moved and no hosts are listed", async () => {
  await withPipelines(
    async ({ start }) => {
      const reply = await start(FILM);
      assert.deepEqual(refused(reply), [404, 12, "unknown_path"]);
      assert.match(reply.message, /PIPELINE_STEPS/);
    },
    { settings: { PIPELINE_STEPS: "0" } },
  );
  await withPipelines(
    async ({ start, ended }) => {
      assert.deepEqual(refused(await start(FILM)), [
        422,
        12,
        "outputs_not_moved",
      ]);
      const { id } = (await start({ still: picture("p") })).data.pipeline;
      assert.equal((await ended(id)).state, "SUCCEEDED");
    },
    { settings: { OUTPUT_HOSTS: "" } },
  );
});

test("a resume may use what its own token allows, not what the first token did", () =>
  withPipelines(async (world) => {
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
    assert.deepEqual(
      refused(refusedResume),
      [400, 12, "invalid_fields"],
      refusedResume.text,
    );
    assert.match(refusedResume.data.errors[0].path, /^steps\.a\.input\./);
    assert.equal(creates.length, before);
    const resumed = await send(`pipelines/${id}/resume`, {
      method: "POST",
      bearer: assets,
    });
    assert.equal(resumed.status, 200, resumed.text);
    assert.equal((await ended(id, { bearer: assets })).state, "SUCCEEDED");
  }));
