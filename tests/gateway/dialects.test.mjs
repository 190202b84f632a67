// The gateway in front of the emulator, which speaks another dialect: places, paths, words and
// forms are settings. From an upload to a result, and to a failure.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../support/emulator.mjs";
import { picture } from "../support/fixtures.mjs";
import { token } from "../support/token.mjs";
import { startWorld } from "../support/world.mjs";

const REMOVAL = "process/image/background_removal";

/** The settings for each dialect of the emulator. */
const DIALECTS = {
  "presigned-put": {},
  "post-form": {},
  "camel-case": {
    UPSTREAM_DIALECT: {
      upload: {
        request: {
          fileName: "{file_name}",
          contentType: "{content_type}",
          fileSize: "{size}",
        },
      },
    },
  },
  bare: { UPSTREAM_DIALECT: { envelope: { code: [] } } },
  "other-words": {
    UPSTREAM_DIALECT: {
      states: {
        SUCCEEDED: ["completed"],
        FAILED: ["error"],
        EXPIRED: ["timeout"],
      },
    },
  },
  "done-flag": {
    UPSTREAM_DIALECT: {
      task: { state: "/done" },
      states: { SUCCEEDED: ["true"] },
    },
  },
  "failure-code": {
    UPSTREAM_DIALECT: { task: { codes: { 1404: "FAILED" } } },
  },
  "key-on-put": {
    UPLOAD_MODE: "relay",
    UPSTREAM_DIALECT: { upload: { send: { api_key: true } } },
  },
  dotted: {
    UPSTREAM_DIALECT: { create: { region: "dotted", video_size: "object" } },
  },
  "no-progress": {},
  "path-by-medium": {
    UPSTREAM_TASK_PATH_GENERATE: "/api/app/v1/{group}/{medium}/tasks/{task_id}",
    UPSTREAM_TASK_PATH_PROCESS: "/api/app/v1/{group}/{medium}/tasks/{task_id}",
  },
  "keyed-models": {},
  confirmed: {
    UPSTREAM_DIALECT: {
      upload: { confirm: { path: "/api/app/v1/files/{file_id}/confirm" } },
    },
  },
  assets: { UPSTREAM_ASSET_PATH: "/api/app/v1/assets/{asset_id}" },
};

for (const [name, { UPSTREAM_DIALECT: dialect, ...settings }] of Object.entries(
  DIALECTS,
)) {
  test(`with its settings, the dialect ${name} works from an upload to a result`, async (t) => {
    const flags = ["--task-seconds", "0.3", "--dialect", name];
    const emulator = await startEmulator(flags);
    t.after(() => emulator.stop());
    const { api, subject } = await startWorld(() => ({}), {
      UPSTREAM_BASE_URL: emulator.url,
      UPLOAD_HOSTS: "127.0.0.1",
      ...settings,
      ...(dialect && { UPSTREAM_DIALECT: JSON.stringify(dialect) }),
    });
    const file = await uploaded(api, subject);
    const region = { x: 0, y: 0, width: 8, height: 8 };
    const ended = await done(api, REMOVAL, { file_id: file, region });
    assert.equal(ended.state, "SUCCEEDED", JSON.stringify(ended));
    const [output, ...others] = ended.outputs;
    assert.deepEqual([output.kind, others], ["image", []]);
    const response = await fetch(output.url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.deepEqual([...bytes.slice(1, 4)], [0x50, 0x4e, 0x47]);
    const { text } = await api(`tasks/${ended.id}/events`);
    assert.match(text, /"state":"SUCCEEDED"/, "its watcher reads it, too");

    const models = await api("models");
    const [model] = models.data.models.filter(
      ({ model_id: id }) => id === "omni-reference-standard",
    );
    assert.equal(model.generation_options.clarity[0], "480P", models.text);
    const input = { prompt: "p" };
    const estimate = await api("credits/estimate", {
      body: { capability: "text_to_image", input },
    });
    assert.equal(estimate.data.credits, 4, estimate.text);

    const failed = await done(api, REMOVAL, {
      file_id: await uploaded(api, subject),
      title: "emulate: state=FAILED",
    });
    assert.equal(failed.state, "FAILED", JSON.stringify(failed));
    assert.equal(failed.error.message, "ended on request");
  });
}

async function uploaded(api, subject) {
  const bytes = picture(64, 48);
  const { data, text } = await api("upload_urls", {
    body: {
      file_name: "a.png",
      content_type: "image/png",
      size: bytes.length,
    },
  });
  const { upload_url: url, method = "PUT", headers = {}, fields } = data;
  assert.ok(url, text);
  const form = new FormData();
  for (const [field, value] of Object.entries(fields ?? {}))
    form.append(field, value);
  form.append("file", new Blob([bytes], { type: "image/png" }));
  const type = fields ? {} : { "content-type": "image/png" };
  // The gateway's own relay takes a token.
  if (data.upload_path) headers.authorization = `Bearer ${token(subject)}`;
  const sent = await fetch(url, {
    method,
    body: fields ? form : bytes,
    headers: { ...type, ...headers },
  });
  assert.ok(sent.ok, `${sent.status} ${await sent.text()}`);
  return data.file_id;
}

/** Creates a task, and reads it until its end. */
async function done(api, path, body) {
  const created = await api(path, { body });
  assert.equal(created.status, 200, created.text);
  let { task } = created.data;
  for (let poll = 0; poll < 200; poll += 1) {
    if (["SUCCEEDED", "FAILED", "EXPIRED"].includes(task.state)) break;
    await sleep(100);
    const read = await api(`process/tasks/${task.id}`);
    assert.equal(read.status, 200, read.text);
    task = read.data.task;
  }
  return task;
}
