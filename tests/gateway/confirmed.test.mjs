// Requests that some services require beyond the document's: one confirms an upload, another reads
// an asset.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../support/emulator.mjs";
import { picture } from "../support/fixtures.mjs";
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

for (const [id, confirmed] of Object.entries({
  "f/envelope": { json: { code: 0, message: "ok" } },
  "f/empty": { status: 204, body: "" },
})) {
  test(`a file is confirmed before the first create that uses it: ${id}`, async () => {
    const world = await start(answers(id, confirmed), {
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
}

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

test("an output that is an asset has the asset's URL", async () => {
  const task = { id: "t", status: "SUCCEEDED", asset_id: "a/1" };
  const url = "https://media.example.com/a.png";
  const { send } = await start(
    {
      text_to_image_turbo: data({ task: { id: "t", status: "QUEUED" } }),
      "tasks/t": data({ task }),
      "assets/a%2F1": data({ asset: { id: "a/1", file_url: url } }),
    },
    { UPSTREAM_ASSET_PATH: "/api/app/v1/assets/{asset_id}" },
  );
  const created = await send("generate/image/text_to_image_turbo", {
    body: { prompt: "p" },
  });
  const read = await send(`generate/tasks/${created.data.task.id}`);
  const [output] = read.data.task.outputs;
  assert.deepEqual([output.url, output.kind], [url, "image"]);
  assert.ok(output.asset_id && output.asset_id !== "a/1", "it is sealed");
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

test("in front of the emulator, files are confirmed and assets have URLs", async (t) => {
  const flags = ["--task-seconds", "0.5", "--dialect", "confirmed,assets"];
  const emulator = await startEmulator(flags);
  t.after(() => emulator.stop());
  const { api } = await startWorld(() => ({}), {
    UPSTREAM_BASE_URL: emulator.url,
    UPLOAD_HOSTS: "127.0.0.1",
    UPSTREAM_ASSET_PATH: "/api/app/v1/assets/{asset_id}",
    UPSTREAM_DIALECT: JSON.stringify({
      upload: { confirm: { path: "/api/app/v1/files/{file_id}/confirm" } },
    }),
  });
  const bytes = picture(64, 48);
  const { length: size } = bytes;
  const { data: upload } = await api("upload_urls", {
    body: { file_name: "a.png", content_type: "image/png", size },
  });
  await fetch(upload.upload_url, { method: "PUT", body: bytes });
  const created = await api("process/image/background_removal", {
    body: { file_id: upload.file_id },
  });
  assert.equal(created.status, 200, created.text);
  let { task } = created.data;
  for (let poll = 0; poll < 100 && task.state !== "SUCCEEDED"; poll += 1) {
    await sleep(100);
    task = (await api(`process/tasks/${task.id}`)).data.task;
  }
  assert.equal(task.state, "SUCCEEDED");
  const [output] = task.outputs;
  assert.deepEqual([task.outputs.length, output.kind], [1, "image"]);
  const result = await fetch(output.url);
  assert.equal(result.headers.get("content-type"), "image/png");
});
