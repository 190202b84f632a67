// Requests that some services require beyond the document's: one confirms an upload, another reads
// an asset.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld } from "../support/world.mjs";

const API = "/api/app/v1/";

/** Starts a gateway, and an upstream with these answers by path. */
async function start(answers, settings) {
  const { api, upstream } = await startWorld(
    ({ path }) => {
      const found = Object.entries(answers).find(([end]) => path.endsWith(end));
      return found?.[1] ?? { status: 404, json: { code: 12, message: "" } };
    },
    {
      UPLOAD_HOSTS: "storage.example.com",
      UPSTREAM_MODELS_PATH: "",
      ...settings,
    },
  );
  return { send: api, upstream };
}

const data = (value) => ({ json: { code: 0, message: "ok", data: value } });
const CONFIRM = JSON.stringify({
  upload: {
    confirm: {
      path: "/api/app/v1/files/{file_id}/confirm",
      request: { id: "{file_id}" },
    },
  },
});

/** Requests an upload URL, and creates two tasks with its file. */
async function createTwice({ send }) {
  const { data: upload } = await send("upload_urls", {
    body: { file_name: "a.png", content_type: "image/png", size: 3 },
  });
  const create = () =>
    send("process/image/background_removal", {
      body: { file_id: upload.file_id },
    });
  return [await create(), await create()];
}

/** Returns the answers of an upstream. The gateway confirms a file once. */
const answers = (file_id, confirm) => ({
  upload_urls: data({ upload_url: "https://storage.example.com/1", file_id }),
  background_removal: data({ task: { id: "t", status: "QUEUED" } }),
  confirm,
});

test("a file is confirmed before the first create that uses it", async () => {
  const id = "f/1";
  const world = await start(answers(id, { status: 204, body: "" }), {
    UPSTREAM_DIALECT: CONFIRM,
  });
  const created = await createTwice(world);
  assert.deepEqual(
    created.map((reply) => reply.status),
    [200, 200],
    created[0].text,
  );
  const { seen } = world.upstream;
  assert.deepEqual(
    seen.slice(0, 3).map(({ path }) => path),
    [
      `${API}upload_urls`,
      `${API}files/${encodeURIComponent(id)}/confirm`,
      `${API}process/image/background_removal`,
    ],
  );
  assert.deepEqual(JSON.parse(seen[1].body), { id });
});

test("a create with a file that can't be confirmed is not sent", async () => {
  const refusal = { json: { code: 12, message: "no such file" } };
  const { upstream, ...world } = await start(answers("f/refused", refusal), {
    UPSTREAM_DIALECT: CONFIRM,
  });
  const [first] = await createTwice(world);
  assert.deepEqual(
    [first.status, first.data.outcome],
    [400, "not_sent"],
    first.text,
  );
  assert.ok(
    upstream.seen.every(({ path }) => !path.endsWith("background_removal")),
  );
});

test("an asset that can't be read leaves its output as it is", async () => {
  const { send } = await start(
    {
      text_to_image_turbo: data({ task: { id: "t", status: "QUEUED" } }),
      "tasks/t": data({
        task: { id: "t", status: "SUCCEEDED", asset_id: "a" },
      }),
    },
    { UPSTREAM_ASSET_PATH: "/api/app/v1/assets/{asset_id}" },
  );
  const created = await send("generate/image/text_to_image_turbo", {
    body: { prompt: "p" },
  });
  const read = await send(`generate/tasks/${created.data.task.id}`);
  assert.equal(read.data.task.state, "SUCCEEDED");
  assert.equal(read.data.task.outputs[0].url, undefined);
});
