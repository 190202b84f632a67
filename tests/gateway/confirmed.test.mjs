// Requests that some services require beyond the document's: one confirms an upload, another reads
// an asset.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../support/emulator.mjs";
import { picture } from "../support/fixtures.mjs";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";

const API = "/api/app/v1/";

/** Runs a test with a gateway and an upstream with these answers by path. */
async function withUpstream(answers, settings, run) {
  const upstream = await startUpstream(({ path }) => {
    const found = Object.entries(answers).find(([end]) => path.endsWith(end));
    return found ? found[1] : { status: 404, json: { code: 12, message: "" } };
  });
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    UPLOAD_HOSTS: "storage.example.com",
    UPSTREAM_MODELS_PATH: "",
    ...settings,
  });
  const send = (path, options) => request(gateway.url + API + path, options);
  try {
    await run({ send, upstream });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
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

const answers = {
  upload_urls: data({
    upload_url: "https://storage.example.com/1",
    file_id: "f/1",
  }),
  background_removal: data({ task: { id: "t", status: "QUEUED" } }),
};

for (const [name, confirmed] of Object.entries({
  "an envelope": { json: { code: 0, message: "ok" } },
  "an empty body": { status: 204, body: "" },
})) {
  test(`a file is confirmed before the first create that uses it: ${name}`, () =>
    withUpstream(
      { ...answers, confirm: confirmed },
      { UPSTREAM_DIALECT: CONFIRM },
      async (world) => {
        const created = await createTwice(world);
        assert.deepEqual(
          created.map((reply) => reply.status),
          [200, 200],
          created[0].text,
        );
        const seen = world.upstream.seen.map(({ path }) => path);
        assert.deepEqual(seen.slice(0, 3), [
          `${API}upload_urls`,
          `${API}files/f%2F1/confirm`,
          `${API}process/image/background_removal`,
        ]);
        const confirms = world.upstream.seen.filter(({ path }) =>
          path.endsWith("confirm"),
        );
        assert.deepEqual(JSON.parse(confirms[0].body), { id: "f/1" });
      },
    ));
}

test("a create with a file that can't be confirmed is not sent", () =>
  withUpstream(
    { ...answers, confirm: { json: { code: 12, message: "no such file" } } },
    { UPSTREAM_DIALECT: CONFIRM },
    async (world) => {
      const [first] = await createTwice(world);
      assert.deepEqual(
        [first.status, first.data.outcome],
        [400, "not_sent"],
        first.text,
      );
      assert.ok(
        world.upstream.seen.every(
          ({ path }) => !path.endsWith("background_removal"),
        ),
      );
    },
  ));

test("an output that is an asset has the asset's URL", () => {
  const task = { id: "t", status: "SUCCEEDED", asset_id: "a/1" };
  const url = "https://media.example.com/a.png";
  return withUpstream(
    {
      text_to_image_turbo: data({ task: { id: "t", status: "QUEUED" } }),
      "tasks/t": data({ task }),
      "assets/a%2F1": data({ asset: { id: "a/1", file_url: url } }),
    },
    { UPSTREAM_ASSET_PATH: "/api/app/v1/assets/{asset_id}" },
    async ({ send }) => {
      const created = await send("generate/image/text_to_image_turbo", {
        body: { prompt: "p" },
      });
      const read = await send(`generate/tasks/${created.data.task.id}`);
      const [output] = read.data.task.outputs;
      assert.deepEqual([output.url, output.kind], [url, "image"]);
      assert.ok(output.asset_id && output.asset_id !== "a/1", "it is sealed");
    },
  );
});

test("an asset that can't be read leaves its output as it is", () =>
  withUpstream(
    {
      text_to_image_turbo: data({ task: { id: "t", status: "QUEUED" } }),
      "tasks/t": data({
        task: { id: "t", status: "SUCCEEDED", asset_id: "a" },
      }),
    },
    { UPSTREAM_ASSET_PATH: "/api/app/v1/assets/{asset_id}" },
    async ({ send }) => {
      const created = await send("generate/image/text_to_image_turbo", {
        body: { prompt: "p" },
      });
      const read = await send(`generate/tasks/${created.data.task.id}`);
      assert.equal(read.data.task.state, "SUCCEEDED");
      assert.equal(read.data.task.outputs[0].url, undefined);
    },
  ));

test("in front of the emulator, files are confirmed and assets have URLs", async () => {
  const dialect = JSON.stringify({
    upload: { confirm: "/api/app/v1/files/{file_id}/confirm" },
    paths: { asset: "/api/app/v1/assets/{asset_id}" },
  });
  const folder = await mkdtemp(join(tmpdir(), "mediagate-dialect-"));
  const file = join(folder, "dialect.json");
  await writeFile(file, dialect);
  const flags = ["--task-seconds", "0.5", "--dialect", file];
  const emulator = await startEmulator(flags);
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: emulator.url,
    UPLOAD_HOSTS: "127.0.0.1",
    UPSTREAM_ASSET_PATH: "/api/app/v1/assets/{asset_id}",
    UPSTREAM_DIALECT: JSON.stringify({
      upload: { confirm: { path: "/api/app/v1/files/{file_id}/confirm" } },
    }),
  });
  const send = (path, options) => request(gateway.url + API + path, options);
  try {
    const bytes = picture(64, 48);
    const { data: upload } = await send("upload_urls", {
      body: {
        file_name: "a.png",
        content_type: "image/png",
        size: bytes.length,
      },
    });
    await fetch(upload.upload_url, { method: "PUT", body: bytes });
    const created = await send("process/image/background_removal", {
      body: { file_id: upload.file_id },
    });
    assert.equal(created.status, 200, created.text);
    const { id } = created.data.task;
    let task = created.data.task;
    for (let poll = 0; poll < 100 && task.state !== "SUCCEEDED"; poll += 1) {
      await sleep(100);
      task = (await send(`process/tasks/${id}`)).data.task;
    }
    assert.equal(task.state, "SUCCEEDED");
    const [output] = task.outputs;
    assert.deepEqual([task.outputs.length, output.kind], [1, "image"]);
    const result = await fetch(output.url);
    assert.equal(result.headers.get("content-type"), "image/png");
  } finally {
    await Promise.all([gateway.stop(), emulator.stop()]);
    await rm(folder, { recursive: true });
  }
});
