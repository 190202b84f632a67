// Pipelines: several creates in one run, with the page closed, checked as a whole before anything is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { clip, picture, states, withPipelines } from "../support/pipelines.mjs";
import { token } from "../support/token.mjs";
import { refused, serve } from "../support/transfers.mjs";

const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const FILM = { still: picture("a lighthouse"), clip: clip({ step: "still" }) };

test("a picture becomes a video, with the page closed", () =>
  withPipelines(async ({ start, ended, creates, storage, send }) => {
    const started = await start(FILM, { body: { title: "Lighthouse", steps: FILM } });
    assert.equal(started.status, 200, started.text);
    const { id, state, title } = started.data.pipeline;
    assert.deepEqual([state, title], ["RUNNING", "Lighthouse"]);
    const film = await ended(id);
    assert.deepEqual([film.state, states(film)], ["SUCCEEDED", { still: "SUCCEEDED", clip: "SUCCEEDED" }]);
    assert.deepEqual(
      film.steps.map((it) => it.uses),
      [[], ["still"]],
    );
    assert.deepEqual(film.outputs, film.steps[1].outputs);
    assert.match(film.outputs[0].url, /mp4$/);
    assert.equal(film.resumable, false);
    assert.ok(film.ended_at >= film.created_at);
    assert.deepEqual(
      creates.map((it) => it.url.split("/").pop()),
      ["text_to_image_turbo", "image_to_video"],
    );
    assert.deepEqual([creates[1].body.file_id, storage.stored.length], ["file-1", 1]);
    const task = await send(`generate/tasks/${film.steps[0].task_id}`);
    assert.equal(task.data.task.state, "SUCCEEDED", "a step's task can be read like any other");
  }));

test("steps that don't use each other run side by side, and a list takes several", () =>
  withPipelines(async (world) => {
    const { start, until, ended, creates } = world;
    const images = [{ step: "a" }, { step: "b", output: 0 }];
    const all = { capability: "omni_reference_to_video", input: { prompt: "all", image_file_ids: images } };
    const { id } = (await start({ a: picture("slow a"), b: picture("slow b"), all })).data.pipeline;
    await until(id, (it) => it.steps.filter((step) => step.state === "RUNNING").length === 2);
    assert.equal(creates.length, 2);
    world.released = true;
    const pipeline = await ended(id);
    assert.equal(pipeline.state, "SUCCEEDED", JSON.stringify(pipeline));
    assert.equal(new Set(creates[2].body.image_file_ids).size, 2);
  }));

test("what is wrong is refused before anything is sent", () =>
  withPipelines(async ({ start, send, creates, upstream }) => {
    const cases = [
      [{ still: picture("p"), clip: clip({ step: "gone" }) }, "steps.clip.input.file_id", "unknown_step"],
      [{ a: clip({ step: "b" }), b: clip({ step: "a" }) }, "steps.a.input.file_id", "wrong_type"],
      [{ still: picture("p"), clip: clip("foreign-file") }, "steps.clip.input.file_id", "unknown_id"],
      [{ ...FILM, clip: clip({ step: "still" }, "") }, "steps.clip.input.prompt", "empty"],
      [{ still: picture("p", { camera: 1 }) }, "steps.still.input.camera", "unknown_field"],
      [{ still: { capability: "nothing", input: {} } }, "steps.still.capability", "unknown_capability"],
      [{}, "steps", "out_of_range"],
      [Object.fromEntries(Array.from({ length: 1000 }, (_, it) => [`s${it}`, picture("p")])), "steps", "out_of_range"],
    ];
    for (const [steps, path, reason] of cases) {
      const reply = await start(steps);
      assert.deepEqual(refused(reply), [400, 12, "invalid_fields"], reply.text);
      assert.ok(
        reply.data.errors.some((it) => it.path === path && it.reason === reason),
        `${path}: ${reply.text.slice(0, 500)}`,
      );
    }
    const scope = await start(FILM, { bearer: token("alice", "upload text_to_image_turbo") });
    assert.deepEqual([...refused(scope), scope.data.capability], [403, 13, "scope", "image_to_video"]);
    const upload = await start(FILM, { bearer: token("alice", "generate:*") });
    assert.deepEqual(refused(upload), [403, 13, "scope"]);
    const key = await start(FILM, { headers: { "idempotency-key": "a b" } });
    assert.deepEqual([...refused(key), key.data.outcome], [400, 12, "idempotency_key", "not_sent"]);
    const outside = await send("generate/video/image_to_video", { body: clip({ step: "still" }).input });
    assert.deepEqual(refused(outside), [400, 12, "invalid_fields"], "a create has no steps to refer to");
    assert.deepEqual(refused(await send("pipelines", { body: [] })), [400, 12, "invalid_fields"]);
    assert.deepEqual([creates.length, upstream.seen], [0, []]);
  }));

test("a pipeline whose creates exceed a budget does not start, nor do two that exceed it together", () =>
  withPipelines(async (world) => {
    const { start, send, ended, creates } = world;
    const bearer = token("alice", "generate:* upload", { budget: { creates: 3 } });
    const four = Object.fromEntries(Array.from({ length: 4 }, (_, it) => [`s${it}`, picture("p")]));
    const reply = await start(four, { bearer });
    assert.deepEqual(
      [...refused(reply), reply.data.limit, reply.data.needed, reply.data.left],
      [429, 16, "budget", "creates", 4, 3],
    );
    assert.equal(reply.headers.get("retry-after"), null, "waiting does not help");
    assert.equal(creates.length, 0);
    const chain = { still: picture("slow one"), clip: clip({ step: "still" }) };
    const first = await start(chain, { bearer });
    assert.equal(first.status, 200, first.text);
    const second = await start(FILM, { bearer });
    assert.deepEqual([...refused(second), second.data.left], [429, 16, "budget", 1]);
    world.released = true;
    assert.equal((await ended(first.data.pipeline.id, { bearer })).state, "SUCCEEDED");
    const last = await send("generate/image/text_to_image_turbo", { body: { prompt: "p" }, bearer });
    assert.equal(last.status, 200, "two of three are counted");
    const none = await send("generate/image/text_to_image_turbo", { body: { prompt: "p" }, bearer });
    assert.deepEqual(refused(none), [429, 16, "budget"]);
  }));

test("no more than allowed run at once, and steps wait for a slot", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended } = world;
      const bearer = token("alice", "generate:* upload", { budget: { in_flight: 1 } });
      const two = { a: picture("slow a"), b: picture("slow b") };
      const first = (await start(two, { bearer })).data.pipeline;
      await until(first.id, (it) => it.steps.some((step) => step.state === "RUNNING"), { bearer });
      const other = await start(two, { bearer });
      assert.deepEqual([...refused(other), other.data.limit], [429, 16, "budget", "pipelines"]);
      world.released = true;
      assert.equal((await ended(first.id, { bearer })).state, "SUCCEEDED");
      assert.equal((await start(two, { bearer })).status, 200);
    },
    { settings: { PIPELINES_AT_ONCE: "1" } },
  ));

test("the same key starts it once, and another pipeline is refused", () =>
  withPipelines(async ({ start, ended, creates }) => {
    const headers = { "idempotency-key": "film-1" };
    const replies = await Promise.all([start(FILM, { headers }), start(FILM, { headers }), start(FILM, { headers })]);
    assert.equal(new Set(replies.map((it) => it.data.pipeline.id)).size, 1, replies[0].text);
    await ended(replies[0].data.pipeline.id);
    assert.equal((await start(FILM, { headers })).data.pipeline.state, "SUCCEEDED");
    assert.equal(creates.length, 2);
    const other = await start({ still: picture("another") }, { headers });
    assert.deepEqual(refused(other), [422, 12, "idempotency_key_reused"]);
    const bob = await start({ still: picture("another") }, { headers, bearer: token("bob") });
    assert.equal(bob.status, 200, "another caller's key is another key");
  }));

test("a failed step stops what depends on it, and a resume goes on from there", () =>
  withPipelines(async (world) => {
    const { start, ended, send, creates } = world;
    const steps = { other: picture("other"), still: picture("fail"), clip: clip({ step: "still" }) };
    const { id } = (await start(steps)).data.pipeline;
    const failed = await ended(id);
    assert.deepEqual(states(failed), { other: "SUCCEEDED", still: "FAILED", clip: "SKIPPED" });
    assert.deepEqual([failed.state, failed.resumable, failed.outputs.length], ["FAILED", true, 1]);
    assert.equal(failed.steps.find((it) => it.name === "still").error.message, "it went wrong");
    world.mended = true;
    const resumed = await send(`pipelines/${id}/resume`, { method: "POST" });
    assert.equal(resumed.data.pipeline.state, "RUNNING", resumed.text);
    assert.equal((await ended(id)).state, "SUCCEEDED");
    assert.equal(creates.filter((it) => it.body.prompt === "other").length, 1, "what succeeded is not repeated");
    assert.equal(creates.length, 4);
    const again = await send(`pipelines/${id}/resume`, { method: "POST" });
    assert.deepEqual(refused(again), [409, 12, "not_resumable"]);
  }));

test("an outcome that is unknown stops what depends on it, and is never sent again", () =>
  withPipelines(async ({ start, ended, send, creates }) => {
    const { id } = (await start({ still: picture("lost"), clip: clip({ step: "still" }) })).data.pipeline;
    const lost = await ended(id);
    assert.deepEqual([states(lost), lost.resumable], [{ still: "UNKNOWN", clip: "SKIPPED" }, false]);
    assert.equal(lost.steps[0].error.reason, "outcome_unknown");
    const again = await send(`pipelines/${id}/resume`, { method: "POST" });
    assert.deepEqual(refused(again), [409, 12, "not_resumable"]);
    assert.equal(creates.length, 1);
  }));

test("what is refused for now is sent again, and what costs too much is a person's choice", () =>
  withPipelines(async (world) => {
    const { start, ended, send, creates } = world;
    const { id } = (await start({ busy: picture("busy"), poor: picture("poor") })).data.pipeline;
    const failed = await ended(id);
    assert.deepEqual(states(failed), { busy: "SUCCEEDED", poor: "FAILED" });
    assert.equal(failed.steps.find((it) => it.name === "poor").error.reason, "insufficient_credits");
    assert.equal(creates.filter((it) => it.body.prompt === "busy" && !it.refused).length, 1);
    world.mended = true;
    await send(`pipelines/${id}/resume`, { method: "POST" });
    assert.equal((await ended(id)).state, "SUCCEEDED");
  }));

test("a cancel sends nothing more, and the pipeline ends with its tasks", () =>
  withPipelines(async (world) => {
    const { start, until, ended, send, creates } = world;
    const { id } = (await start({ still: picture("slow"), clip: clip({ step: "still" }) })).data.pipeline;
    await until(id, (it) => it.steps[0].state === "RUNNING");
    const busy = await send(`pipelines/${id}`, { method: "DELETE" });
    assert.deepEqual(refused(busy), [409, 12, "pipeline_running"]);
    const cancelled = await send(`pipelines/${id}/cancel`, { method: "POST" });
    assert.deepEqual(states(cancelled.data.pipeline), { still: "RUNNING", clip: "CANCELLED" });
    world.released = true;
    const done = await ended(id);
    assert.deepEqual([done.state, states(done).still, creates.length], ["CANCELLED", "SUCCEEDED", 1]);
    assert.equal((await send(`pipelines/${id}/cancel`, { method: "POST" })).data.pipeline.state, "CANCELLED");
    await send(`pipelines/${id}/resume`, { method: "POST" });
    assert.equal((await ended(id)).state, "SUCCEEDED");
    assert.equal(creates.length, 2);
  }));

test("a create that is refused while the pipeline is cancelled is not sent again", () =>
  withPipelines(async (world) => {
    const { start, ended, send, creates } = world;
    const { id } = (await start({ still: picture("full") })).data.pipeline;
    while (creates.length === 0) await sleep(10);
    const cancelled = await send(`pipelines/${id}/cancel`, { method: "POST" });
    assert.deepEqual(states(cancelled.data.pipeline), { still: "CREATING" });
    const done = await ended(id);
    assert.deepEqual([done.state, states(done).still], ["CANCELLED", "CANCELLED"]);
    const { length } = creates;
    await sleep(1500);
    assert.equal(creates.length, length);
  }));

test("an output that is wanted in several places is moved once", () =>
  withPipelines(async ({ start, ended, creates, storage }) => {
    const images = Array.from({ length: 4 }, () => ({ step: "still" }));
    const all = { capability: "omni_reference_to_video", input: { prompt: "all", image_file_ids: images } };
    const { id } = (await start({ still: picture("p"), all })).data.pipeline;
    assert.equal((await ended(id)).state, "SUCCEEDED");
    assert.deepEqual(creates[1].body.image_file_ids, ["file-1", "file-1", "file-1", "file-1"]);
    assert.equal(storage.stored.length, 1);
  }));

test("another caller can't read, follow, resume, cancel or remove it", () =>
  withPipelines(async ({ start, ended, send, read }) => {
    const { id } = (await start({ still: picture("p") })).data.pipeline;
    await ended(id);
    for (const it of [id, "nonsense"]) {
      const bearer = it === id ? token("bob") : token();
      for (const [path, method] of [
        ["", "GET"],
        ["", "DELETE"],
        ["/events", "GET"],
        ["/resume", "POST"],
        ["/cancel", "POST"],
      ]) {
        const reply = await send(`pipelines/${it}${path}`, { method, bearer });
        assert.deepEqual(refused(reply), [404, 12, "unknown_pipeline"], `${method} ${path}`);
      }
    }
    assert.equal((await read(id)).state, "SUCCEEDED");
  }));

test("the history has it, until its owner removes it", () =>
  withPipelines(async ({ start, ended, send }) => {
    const { id } = (await start(FILM, { body: { title: "Lighthouse", steps: FILM } })).data.pipeline;
    const running = (await send("tasks")).data.pipelines[0];
    assert.deepEqual([running.id, running.title, running.state], [id, "Lighthouse", "RUNNING"]);
    await ended(id);
    for (let attempt = 0; (await send("tasks")).data.pipelines[0].state === "RUNNING"; attempt += 1) {
      assert.ok(attempt < 100, "the history has its end");
      await sleep(50);
    }
    const { tasks, pipelines } = (await send("tasks")).data;
    assert.deepEqual([tasks.length, pipelines.length, pipelines[0].state], [2, 1, "SUCCEEDED"]);
    assert.equal((await send(`pipelines/${id}`, { method: "DELETE" })).status, 200);
    assert.deepEqual(refused(await send(`pipelines/${id}`)), [404, 12, "unknown_pipeline"]);
    assert.equal((await send(`pipelines/${id}`, { method: "DELETE" })).status, 200, "once more");
    assert.deepEqual((await send("tasks")).data.pipelines, []);
  }));

test("its changes are a stream of events, which ends with it", () =>
  withPipelines(async (world) => {
    const { start, url } = world;
    const { id } = (await start({ still: picture("slow"), clip: clip({ step: "still" }) })).data.pipeline;
    const follow = async (last) => {
      const headers = { authorization: `Bearer ${token()}`, ...(last && { "last-event-id": last }) };
      const response = await fetch(`${url()}/api/app/v1/pipelines/${id}/events`, { headers });
      assert.equal(response.headers.get("content-type"), "text/event-stream");
      return response.text();
    };
    const following = follow();
    await sleep(500);
    world.released = true;
    const text = await following;
    const events = text.split("\n\n").filter((it) => it.includes("event: pipeline"));
    const pipelines = events.map((it) => JSON.parse(it.match(/data: (.*)/)[1]).data.pipeline);
    assert.equal(pipelines.at(-1).state, "SUCCEEDED");
    assert.ok(
      pipelines.some((it) => it.steps[0].progress === 0.5),
      "a step's progress",
    );
    const numbers = events.map((it) => Number(it.match(/id: (\d+)/)[1]));
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
    assert.match(await follow(String(numbers.at(-1))), /SUCCEEDED/, "a late subscriber gets the end");
  }));

test("a token that is revoked stops what is not sent, and another one resumes it", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, send, creates } = world;
      const { id } = (await start({ still: picture("slow"), clip: clip({ step: "still" }) })).data.pipeline;
      await until(id, (it) => it.steps[0].state === "RUNNING");
      await sleep(1100);
      await restart({ SESSION_NOT_BEFORE: String(Math.floor(Date.now() / 1000)) });
      world.released = true;
      const bearer = token("alice");
      const stopped = await ended(id, { bearer });
      assert.deepEqual(states(stopped), { still: "SUCCEEDED", clip: "CANCELLED" });
      assert.equal(stopped.steps[1].error.reason, "revoked_token");
      assert.equal(creates.length, 1);
      await send(`pipelines/${id}/resume`, { method: "POST", bearer });
      assert.equal((await ended(id, { bearer })).state, "SUCCEEDED");
    },
    { persist: true },
  ));

test("the app's backend is notified of each end", async () => {
  const delivered = [];
  /** @type {any} */
  const backend = await serve(async (incoming, response) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    delivered.push({ body, headers: incoming.headers });
    response.writeHead(backend.status).end();
  });
  Object.assign(backend, { status: 204 });
  const settings = { WEBHOOK_URLS: `${backend.url}/hook`, WEBHOOK_LOOPBACK: "on", WEBHOOK_SECRET: WEBHOOK_SECRET };
  const of = (type) => delivered.filter((it) => JSON.parse(it.body).type === type);
  const arrives = async (type, count) => {
    for (let attempt = 0; of(type).length < count; attempt += 1) {
      assert.ok(attempt < 600, `${type} is delivered`);
      await sleep(50);
    }
    return of(type);
  };
  try {
    await withPipelines(
      async (world) => {
        const { start, send, ended } = world;
        const { id } = (await start({ still: picture("fail") })).data.pipeline;
        await ended(id);
        const [failed] = await arrives("pipeline.failed", 1);
        const { data } = /** @type {any} */ (new Webhook(WEBHOOK_SECRET).verify(failed.body, failed.headers));
        assert.deepEqual([data.pipeline.id, data.pipeline.state, data.subject.name], [id, "FAILED", "alice"]);
        world.mended = true;
        await send(`pipelines/${id}/resume`, { method: "POST" });
        const [succeeded] = await arrives("pipeline.succeeded", 1);
        assert.notEqual(
          succeeded.headers["webhook-id"],
          failed.headers["webhook-id"],
          "each end is a message of its own",
        );
        // Removed before the app's backend has accepted it.
        backend.status = 503;
        const other = (await start({ still: picture("another") })).data.pipeline;
        await ended(other.id);
        await arrives("pipeline.succeeded", 2);
        assert.equal((await send(`pipelines/${other.id}`, { method: "DELETE" })).status, 200);
        assert.deepEqual(refused(await send(`pipelines/${other.id}`)), [404, 12, "unknown_pipeline"]);
        backend.status = 204;
        await arrives("pipeline.succeeded", 3);
      },
      { settings },
    );
  } finally {
    await backend.stop();
  }
});

test("what a caller writes into an input is sent as it is, and no file of another caller's", () =>
  withPipelines(async ({ start, ended, creates, send }) => {
    // Like what stands in the place of an output until it is there.
    const prompt = 'output 0 {"step":"still"}';
    const { id } = (await start({ still: picture(prompt), clip: clip({ step: "still" }, prompt) })).data.pipeline;
    const film = await ended(id);
    assert.deepEqual([film.state, creates.map((it) => it.body.prompt)], ["SUCCEEDED", [prompt, prompt]]);
    const { file_id } = (await send("files", { body: { task_id: film.steps[0].task_id, output: 0 } })).data;
    assert.equal((await start({ clip: clip(file_id) })).status, 200, "a file of the caller's own");
    const foreign = await start({ clip: clip(file_id) }, { bearer: token("bob") });
    assert.deepEqual(
      foreign.data.errors.map((it) => [it.path, it.reason]),
      [["steps.clip.input.file_id", "unknown_id"]],
    );
  }));

test("an output that does not fit fails the step that wants it, and nothing is sent for it", () =>
  withPipelines(async ({ start, ended, creates }) => {
    const steps = { still: picture("odd"), clip: clip({ step: "still" }), second: clip({ step: "still", output: 7 }) };
    const { id } = (await start(steps)).data.pipeline;
    const film = await ended(id);
    assert.deepEqual(states(film), { still: "SUCCEEDED", clip: "FAILED", second: "FAILED" });
    assert.deepEqual([film.steps[1].error.reason, creates.length], ["unknown_output", 1]);
  }));

test("an agent's token that is revoked by its id stops what is not sent", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, creates } = world;
      const bearer = token("alice", "generate:* upload", { jti: "token-7" });
      const { id } = (await start({ still: picture("slow"), clip: clip({ step: "still" }) }, { bearer })).data.pipeline;
      await until(id, (it) => it.steps[0].state === "RUNNING");
      await restart({ MCP_REVOKED_TOKENS: "token-7" });
      world.released = true;
      assert.deepEqual(states(await ended(id)), { still: "SUCCEEDED", clip: "CANCELLED" });
      assert.equal(creates.length, 1);
    },
    { persist: true },
  ));

test("a pipeline that was removed can start again under the same key", () =>
  withPipelines(async ({ start, ended, send, creates }) => {
    const headers = { "idempotency-key": "film" };
    const first = (await start({ still: picture("one") }, { headers })).data.pipeline;
    await ended(first.id);
    await send(`pipelines/${first.id}`, { method: "DELETE" });
    const second = (await start({ still: picture("two") }, { headers })).data.pipeline;
    assert.equal((await ended(second.id)).state, "SUCCEEDED");
    assert.deepEqual(
      creates.map((it) => it.body.prompt),
      ["one", "two"],
    );
  }));

test("a request that is too large is refused", () =>
  withPipelines(async ({ start }) => {
    const steps = Object.fromEntries(
      Array.from({ length: 20 }, (_, it) => [`s${it}`, picture("p".repeat(it === 0 ? 490_000 : 1_000))]),
    );
    assert.deepEqual(refused(await start(steps)), [413, 12, "body_too_large"]);
  }));

test("without steps allowed, what was started can still be read, stopped and removed", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, send } = world;
      const { id } = (await start({ still: picture("slow"), clip: clip({ step: "still" }) })).data.pipeline;
      await until(id, (it) => it.steps[0].state === "RUNNING");
      await restart({ PIPELINE_STEPS: "0" });
      assert.equal((await send(`pipelines/${id}/cancel`, { method: "POST" })).status, 200);
      world.released = true;
      assert.equal((await ended(id)).state, "CANCELLED");
      assert.deepEqual(refused(await send(`pipelines/${id}/resume`, { method: "POST" })), [404, 12, "unknown_path"]);
      assert.equal((await send(`pipelines/${id}`, { method: "DELETE" })).status, 200);
    },
    { persist: true },
  ));

test("without steps allowed, or without hosts of outputs, it says so", async () => {
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
      assert.deepEqual(refused(await start(FILM)), [422, 12, "outputs_not_moved"]);
      const { id } = (await start({ still: picture("p") })).data.pipeline;
      assert.equal((await ended(id)).state, "SUCCEEDED");
    },
    { settings: { OUTPUT_HOSTS: "" } },
  );
});
