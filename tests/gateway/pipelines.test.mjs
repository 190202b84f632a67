// Pipelines: several creates in one run that goes on with the page closed. The gateway checks all
// of them before it sends any.
import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { events, openEvents, readAll } from "../support/events.mjs";
import {
  clip,
  picture,
  startPipelines,
  states,
} from "../support/pipelines.mjs";
import { token } from "../support/token.mjs";
import { reasonOf, serve } from "../support/transfers.mjs";
import { until as happens } from "../support/within.mjs";

const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const FILM = { still: picture("a lighthouse"), clip: clip({ step: "still" }) };

test("a picture becomes a video, with the page closed", async (t) => {
  const { start, ended, creates, storage, send } = await startPipelines(t);
  const started = await start(FILM, {
    body: { title: "Lighthouse", steps: FILM },
  });
  assert.equal(started.status, 200, started.text);
  const { id, state, title } = started.data.pipeline;
  assert.deepEqual([state, title], ["RUNNING", "Lighthouse"]);
  const film = await ended(id);
  assert.deepEqual(
    [film.state, states(film)],
    ["SUCCEEDED", { still: "SUCCEEDED", clip: "SUCCEEDED" }],
  );
  assert.deepEqual(
    film.steps.map((step) => step.uses),
    [[], ["still"]],
  );
  assert.deepEqual(film.outputs, film.steps[1].outputs);
  assert.match(film.outputs[0].url, /mp4$/);
  assert.equal(film.resumable, false);
  assert.ok(film.ended_at >= film.created_at);
  assert.deepEqual(
    creates.map((create) => create.url.split("/").pop()),
    ["text_to_image_turbo", "image_to_video"],
  );
  assert.deepEqual(
    [creates[1].body.file_id, storage.stored.length],
    ["file-1", 1],
  );
  const task = await send(`generate/tasks/${film.steps[0].task_id}`);
  assert.equal(task.status, 200, task.text);
  assert.equal(
    task.data.task.state,
    "SUCCEEDED",
    "a step's task can be read like any other",
  );
});

test("a key starts a pipeline once, and another pipeline with this key is refused", async (t) => {
  const { start, ended, creates } = await startPipelines(t);
  const headers = { "idempotency-key": "film-1" };
  const replies = await Promise.all([
    start(FILM, { headers }),
    start(FILM, { headers }),
    start(FILM, { headers }),
  ]);
  assert.equal(
    new Set(replies.map((reply) => reply.data.pipeline.id)).size,
    1,
    replies[0].text,
  );
  await ended(replies[0].data.pipeline.id);
  assert.equal(
    (await start(FILM, { headers })).data.pipeline.state,
    "SUCCEEDED",
  );
  assert.equal(creates.length, 2);
  const other = await start({ still: picture("another") }, { headers });
  assert.equal(reasonOf(other), "idempotency_key_reused");
  const bob = await start(
    { still: picture("another") },
    { headers, bearer: token("bob") },
  );
  assert.equal(bob.status, 200, "another caller's key is another key");
});

test("a failed step stops the steps that depend on it, and a resume continues there", async (t) => {
  const world = await startPipelines(t);
  const { begin, ended, send, creates } = world;
  const steps = {
    other: picture("other"),
    still: picture("fail"),
    clip: clip({ step: "still" }),
  };
  const id = await begin(steps);
  const failed = await ended(id);
  assert.deepEqual(states(failed), {
    other: "SUCCEEDED",
    still: "FAILED",
    clip: "SKIPPED",
  });
  assert.deepEqual(
    [failed.state, failed.resumable, failed.outputs.length],
    ["FAILED", true, 1],
  );
  assert.equal(
    failed.steps.find((step) => step.name === "still").error.message,
    "it went wrong",
  );
  world.mended = true;
  const resumed = await send(`pipelines/${id}/resume`, { method: "POST" });
  assert.equal(resumed.data.pipeline.state, "RUNNING", resumed.text);
  assert.equal((await ended(id)).state, "SUCCEEDED");
  assert.equal(
    creates.filter((create) => create.body.prompt === "other").length,
    1,
    "what succeeded is not repeated",
  );
  assert.equal(creates.length, 4);
  const again = await send(`pipelines/${id}/resume`, { method: "POST" });
  assert.equal(reasonOf(again), "not_resumable");
});

test("a step with an unknown outcome stops those that depend on it, and is never sent again", async (t) => {
  const { begin, ended, send, creates } = await startPipelines(t);
  const id = await begin({
    still: picture("lost"),
    clip: clip({ step: "still" }),
  });
  const lost = await ended(id);
  assert.deepEqual(
    [states(lost), lost.resumable],
    [{ still: "UNKNOWN", clip: "SKIPPED" }, false],
  );
  assert.equal(lost.steps[0].error.reason, "outcome_unknown");
  const again = await send(`pipelines/${id}/resume`, { method: "POST" });
  assert.equal(reasonOf(again), "not_resumable");
  assert.equal(creates.length, 1);
});

test("a cancel sends nothing more, and the pipeline ends with its tasks", async (t) => {
  const world = await startPipelines(t);
  const { begin, until, ended, send, creates } = world;
  const id = await begin({
    still: picture("slow"),
    clip: clip({ step: "still" }),
  });
  await until(id, (pipeline) => pipeline.steps[0].state === "RUNNING");
  const busy = await send(`pipelines/${id}`, { method: "DELETE" });
  assert.equal(reasonOf(busy), "pipeline_running");
  const cancelled = await send(`pipelines/${id}/cancel`, { method: "POST" });
  assert.deepEqual(states(cancelled.data.pipeline), {
    still: "RUNNING",
    clip: "CANCELLED",
  });
  world.released = true;
  const done = await ended(id);
  assert.deepEqual(
    [done.state, states(done).still, creates.length],
    ["CANCELLED", "SUCCEEDED", 1],
  );
  assert.equal(
    (await send(`pipelines/${id}/cancel`, { method: "POST" })).data.pipeline
      .state,
    "CANCELLED",
  );
  await send(`pipelines/${id}/resume`, { method: "POST" });
  assert.equal((await ended(id)).state, "SUCCEEDED");
  assert.equal(creates.length, 2);
});

test("a create that is refused while the pipeline is cancelled is not sent again", async (t) => {
  const world = await startPipelines(t);
  const { begin, ended, send, creates } = world;
  const id = await begin({ still: picture("full") });
  while (creates.length === 0) await sleep(10);
  const cancelled = await send(`pipelines/${id}/cancel`, { method: "POST" });
  assert.deepEqual(states(cancelled.data.pipeline), { still: "CREATING" });
  world.released = true;
  const done = await ended(id);
  assert.deepEqual(
    [done.state, states(done).still],
    ["CANCELLED", "CANCELLED"],
  );
  const { length } = creates;
  await sleep(1500);
  assert.equal(creates.length, length);
});

test("the history lists a pipeline until its owner removes it", async (t) => {
  const world = await startPipelines(t);
  const { begin, ended, send } = world;
  const steps = { still: picture("slow"), clip: clip({ step: "still" }) };
  const id = await begin(steps, { body: { title: "Lighthouse", steps } });
  // The ledger lists it a moment after its start.
  const listed = async () => (await send("tasks")).data.pipelines[0];
  const running = await happens(listed, "the history has it");
  assert.deepEqual(
    [running.id, running.title, running.state],
    [id, "Lighthouse", "RUNNING"],
  );
  world.released = true;
  await ended(id);
  await happens(
    async () => (await listed()).state !== "RUNNING",
    "the history has its end",
  );
  const { tasks, pipelines } = (await send("tasks")).data;
  assert.deepEqual(
    [tasks.length, pipelines.length, pipelines[0].state],
    [2, 1, "SUCCEEDED"],
  );
  assert.equal(
    (await send(`pipelines/${id}`, { method: "DELETE" })).status,
    200,
  );
  assert.equal(reasonOf(await send(`pipelines/${id}`)), "unknown_pipeline");
  assert.equal(
    (await send(`pipelines/${id}`, { method: "DELETE" })).status,
    200,
    "once more",
  );
  assert.deepEqual((await send("tasks")).data.pipelines, []);
});

test("a pipeline's changes are a stream of events that ends with the pipeline", async (t) => {
  const world = await startPipelines(t);
  const { begin, url } = world;
  const id = await begin({
    still: picture("slow"),
    other: picture("slow too"),
    clip: clip({ step: "still" }),
  });
  const follow = async (last) => {
    const response = await openEvents(url(), `pipelines/${id}`, { last });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    return response;
  };
  const seen = [];
  for await (const event of events(await follow())) {
    assert.equal(event.event, "pipeline");
    seen.push(event);
    // Both run at once, or the stream never ends.
    const { steps } = event.data.pipeline;
    if (steps.filter(({ progress }) => progress === 0.5).length === 2)
      world.released = true;
  }
  assert.equal(seen.at(-1).data.pipeline.state, "SUCCEEDED");
  const numbers = seen.map((event) => event.id);
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  const late = await readAll(await follow(String(numbers.at(-1))));
  assert.equal(
    late.at(-1).data.pipeline.state,
    "SUCCEEDED",
    "a late subscriber gets the end",
  );
});

test("the app's backend is notified of each pipeline's end", async (t) => {
  const delivered = [];
  /** @type {any} */
  const backend = await serve(async (incoming, response) => {
    const body = await text(incoming);
    const { headers } = incoming;
    const isFirst = !delivered.some(
      (other) => other.headers["webhook-id"] === headers["webhook-id"],
    );
    const status = backend.refusesFirst && isFirst ? 503 : 204;
    delivered.push({ body, headers, status });
    response.writeHead(status).end();
  });
  t.after(() => backend.stop());
  Object.assign(backend, { refusesFirst: false });
  const settings = {
    PUBLIC_URL: "https://media.example.com",
    WEBHOOK_URLS: `${backend.url}/hook`,
    WEBHOOK_SECRET: WEBHOOK_SECRET,
  };
  const of = (type) =>
    delivered.filter((webhook) => JSON.parse(webhook.body).type === type);
  const isRefused = ({ status }) => status === 503;
  const arrives = async (type, count) => {
    await happens(() => of(type).length >= count, `${type} is delivered`);
    return of(type);
  };
  const world = await startPipelines(t, { settings });
  const { begin, start, send, ended } = world;
  const id = await begin({ still: picture("fail") });
  await ended(id);
  const [failed] = await arrives("pipeline.failed", 1);
  const { data } = /** @type {any} */ (
    new Webhook(WEBHOOK_SECRET).verify(failed.body, failed.headers)
  );
  assert.deepEqual(
    [data.pipeline.id, data.pipeline.state, data.subject.name],
    [id, "FAILED", "alice"],
  );
  world.mended = true;
  await send(`pipelines/${id}/resume`, { method: "POST" });
  const [succeeded] = await arrives("pipeline.succeeded", 1);
  assert.notEqual(
    succeeded.headers["webhook-id"],
    failed.headers["webhook-id"],
    "each end is a message of its own",
  );
  // The pipeline is removed before the app's backend has accepted the delivery.
  backend.refusesFirst = true;
  const other = (await start({ still: picture("another") })).data.pipeline;
  await ended(other.id);
  await arrives("pipeline.succeeded", 2);
  assert.equal(
    (await send(`pipelines/${other.id}`, { method: "DELETE" })).status,
    200,
  );
  assert.equal(
    reasonOf(await send(`pipelines/${other.id}`)),
    "unknown_pipeline",
  );
  await arrives("pipeline.succeeded", 3);
  // Another pipeline with this key does not drop the delivery, and a resume does not replace
  // it.
  world.mended = false;
  const init = { headers: { "idempotency-key": "again" } };
  const first = (await start({ still: picture("fail twice") }, init)).data
    .pipeline;
  await ended(first.id);
  const attempted = (await arrives("pipeline.failed", 2))[1];
  assert.equal(
    (await send(`pipelines/${first.id}`, { method: "DELETE" })).status,
    200,
  );
  const second = (await start({ still: picture("fail twice") }, init)).data
    .pipeline;
  await ended(second.id);
  await happens(
    () => of("pipeline.failed").filter(isRefused).length >= 2,
    "both are refused once",
  );
  world.mended = true;
  await send(`pipelines/${second.id}/resume`, { method: "POST" });
  await ended(second.id);
  const unaccepted = of("pipeline.failed").filter(isRefused);
  for (const { body, headers } of unaccepted) {
    const accepted = () =>
      delivered.find(
        (other) =>
          other.headers["webhook-id"] === headers["webhook-id"] &&
          other.status === 204,
      );
    await happens(accepted, "the message is delivered again");
    assert.equal(accepted()?.body, body);
  }
  assert.ok(
    unaccepted.some(
      (message) =>
        message.headers["webhook-id"] === attempted.headers["webhook-id"],
    ),
  );
  assert.equal(
    new Set(unaccepted.map((message) => message.headers["webhook-id"])).size,
    2,
  );
});

test("a pipeline that was removed can start again under the same key", async (t) => {
  const { start, ended, send, creates } = await startPipelines(t);
  const headers = { "idempotency-key": "film" };
  const first = (await start({ still: picture("one") }, { headers })).data
    .pipeline;
  await ended(first.id);
  await send(`pipelines/${first.id}`, { method: "DELETE" });
  const second = (await start({ still: picture("two") }, { headers })).data
    .pipeline;
  assert.equal((await ended(second.id)).state, "SUCCEEDED");
  assert.deepEqual(
    creates.map((create) => create.body.prompt),
    ["one", "two"],
  );
});
