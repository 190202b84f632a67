// Limits on values: what a token does not allow is made by no way into the gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, refusal } from "../mcp/support/client.mjs";
import { startPipelines } from "../support/pipelines.mjs";
import { token } from "../support/token.mjs";
import { reasonOf } from "../support/transfers.mjs";
import { startWorld } from "../support/world.mjs";

const TALKING = "generate/video/text_driven";
const narrow = token("alice", undefined, { limits: { max_seconds: 5 } });
const wide = token("alice");
const input = (more) => ({
  avatar_asset_id: "avatar-1",
  voice_asset_id: "voice-1",
  text: "hello",
  ...more,
});
const step = (more) => ({ capability: "text_driven", input: input(more) });
const settings = {
  PUBLIC_ASSETS: "avatar-1, voice-1",
  EXTRA_FIELDS: "video_length, style",
};

test("a token with a longest duration of 5 s makes nothing longer, by any route", async (t) => {
  const { send, start, url, creates } = await startPipelines(t, { settings });
  const cases = [
    { path: "duration_seconds", more: { duration_seconds: 60 } },
    { path: "duration_seconds", more: { duration_seconds: -60 } },
    // The model has a default, which may be 60.
    { path: "duration_seconds", more: {} },
    {
      path: "video_length",
      more: { duration_seconds: 5, video_length: 60 },
      isExtra: true,
    },
    {
      path: "style",
      more: { duration_seconds: 5, style: { videoLength: 60 } },
      isExtra: true,
    },
  ];
  for (const { path, more, isExtra } of cases) {
    const refused = (reply, prefix = "") =>
      assert.deepEqual(
        [
          reply.status,
          reply.code,
          reasonOf(reply),
          reply.data.errors.map((error) => [error.path, error.reason]),
        ],
        [422, 12, "limit", [[`${prefix}${path}`, "limit"]]],
        reply.text,
      );
    const body = input(more);
    const create = await send(TALKING, { bearer: narrow, body });
    refused(create);
    assert.equal(create.data.outcome, "not_sent");
    const estimate = { capability: "text_driven", input: body };
    refused(await send("credits/estimate", { bearer: narrow, body: estimate }));
    const started = await start({ talk: step(more) }, { bearer: narrow });
    // A pipeline takes no fields beyond the document's.
    if (isExtra) assert.equal(reasonOf(started), "invalid_fields");
    else refused(started, "steps.talk.input.");
    const called = refusal(
      await call(url(), "text_driven", body, { bearer: narrow }),
    );
    assert.deepEqual(
      [called.data.reason, called.data.errors[0].path],
      ["limit", path],
      JSON.stringify(called),
    );
  }
  assert.deepEqual(creates, []);

  const allowed = input({ duration_seconds: 5, style: "plain" });
  const reply = await send(TALKING, { bearer: narrow, body: allowed });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(creates.length, 1);
});

test("neither a pipeline nor a key of a wider token lets a narrower one make more", async (t) => {
  const world = await startPipelines(t, { settings });
  const { send, begin, ended, creates } = world;
  const id = await begin(
    { talk: step({ text: "poor", duration_seconds: 60 }) },
    { bearer: wide },
  );
  assert.equal((await ended(id, { bearer: wide })).state, "FAILED");
  world.mended = true;
  const resume = (bearer) =>
    send(`pipelines/${id}/resume`, { method: "POST", bearer });
  const refused = await resume(narrow);
  assert.deepEqual(
    [refused.status, reasonOf(refused), refused.data.errors[0].path],
    [422, "limit", "steps.talk.input.duration_seconds"],
  );
  assert.equal(creates.length, 0);
  assert.equal((await resume(wide)).status, 200);
  assert.equal((await ended(id, { bearer: wide })).state, "SUCCEEDED");

  const create = (bearer) =>
    send(TALKING, {
      bearer,
      body: input({ duration_seconds: 60 }),
      headers: { "idempotency-key": "one" },
    });
  assert.equal((await create(wide)).status, 200);
  assert.equal(reasonOf(await create(narrow)), "limit", "as with a scope");
  const replayed = await create(wide);
  assert.equal(replayed.headers.get("idempotent-replayed"), "true");
});

test("DEFAULT_LIMITS hold for a token without limits, and GET capabilities shows what they leave", async () => {
  const length = (...values) => ({
    capability: "image_to_video",
    generation_options: { duration_seconds: values },
  });
  const models = [
    { model_id: "both", ...length(5, 60) },
    { model_id: "long", ...length(60) },
  ];
  const { api: send, url } = await startWorld(
    ({ path }) => ({
      json: {
        code: 0,
        data: path.endsWith("/models")
          ? { models }
          : { task: { id: "task-1", status: "QUEUED" } },
      },
    }),
    { ...settings, DEFAULT_LIMITS: '{"max_seconds": 5}' },
  );
  const body = input({ duration_seconds: 60 });
  const own = token("alice", undefined, { limits: { max_seconds: 60 } });
  assert.equal(reasonOf(await send(TALKING, { body })), "limit");
  assert.equal((await send(TALKING, { body, bearer: own })).status, 200);

  const offers = async (bearer) => {
    const { data } = await send("capabilities", { bearer });
    const { capabilities, limits } = data;
    const find = (name) =>
      capabilities.find(({ capability }) => capability === name);
    return [
      limits,
      find("image_to_video").models,
      Boolean(find("mv_director")),
    ];
  };
  const [both, long] = models.map(({ model_id, generation_options }) => ({
    model_id,
    values: generation_options,
  }));
  assert.deepEqual(await offers(), [
    { max_seconds: 5 },
    [{ model_id: "both", values: { duration_seconds: [5] } }],
    false,
  ]);
  const any = token("alice", undefined, { limits: { max_prompt_chars: 9 } });
  assert.deepEqual(await offers(any), [
    { max_prompt_chars: 9 },
    [both, long],
    true,
  ]);
  const options = await call(url, "list_options", { catalogue: false });
  assert.deepEqual(options.structuredContent.limits, { max_seconds: 5 });
});
