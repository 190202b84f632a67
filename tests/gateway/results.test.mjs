// Results are moved into a bucket, and have a permanent address of the gateway's own.
import assert from "node:assert/strict";
import { json } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { startEmulator } from "../support/emulator.mjs";
import { picture } from "../support/fixtures.mjs";
import { logged } from "../support/gateway.mjs";
import { freePort } from "../support/port.mjs";
import { sessionToken } from "../support/session.mjs";
import { changeStored } from "../support/stored.mjs";
import { token } from "../support/token.mjs";
import {
  BYTES,
  file,
  serve,
  sha256,
  startTransfers,
} from "../support/transfers.mjs";
import { until } from "../support/within.mjs";

let emulator;
before(async () => {
  emulator = await startEmulator();
});
after(() => emulator?.stop());

/**
 * The responses of a media host, by path.
 *
 * @type {Record<string, import("../support/transfers.mjs").Serve>}
 */
const HOST = {
  "/a.mp4": file("binary/octet-stream"),
  "/b.png": file("image/png"),
  "/page": file("text/html", Buffer.from("<script>1</script>")),
  "/endless": (_, response) => response.writeHead(200).write(BYTES),
};

/**
 * Starts a gateway that keeps results in the emulator's bucket.
 *
 * @param {import("node:test").TestContext} t
 * @param {{ settings?: Record<string, string>, host?: typeof HOST, persist?: boolean }} [options]
 */
const startResults = (t, { settings = {}, host = HOST, ...options } = {}) =>
  startTransfers(t, host, {
    settings: { ...bucketOf(emulator), ...settings },
    ...options,
  });

/** Reads a task until none of its outputs is being moved. */
const settled = (send, id, init) =>
  until(async () => {
    const { outputs } = (await send(`generate/tasks/${id}`, init)).data.task;
    const moves = (output) => output.kept === false && !output.not_kept;
    return outputs.length > 0 && !outputs.some(moves) && outputs;
  }, "the outputs are settled");

/** Requests an address without following its redirect. */
const visit = (url, headers = {}, method = "GET") =>
  fetch(url, { method, headers, redirect: "manual" });

test("a result is kept once, and its address stays the same", async (t) => {
  const { host, gateway, send, create } = await startResults(t);
  const task = await create("b.png");
  // A read before its watcher's would name the file after the capability.
  while (host.seen.length === 0) await sleep(50);
  const first = (await send(`generate/tasks/${task}`)).data.task.outputs[0];
  const [output] = await settled(send, task);
  assert.equal(output.url, first.url);
  assert.ok(output.url.startsWith(`${gateway}/api/app/v1/results/`));
  const { kept, size, content_type, file_name } = output;
  assert.deepEqual(
    { kept, size, content_type, file_name },
    {
      kept: true,
      size: BYTES.length,
      content_type: "image/png",
      file_name: "b-png.png",
    },
  );
  const days = (Date.parse(output.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, `${days}`);

  await Promise.all([1, 2, 3].map(() => settled(send, task)));
  assert.deepEqual(host.seen, ["GET /b.png"]);

  const response = await visit(output.url);
  assert.equal(response.status, 302);
  assert.match(response.headers.get("cache-control"), /^private, max-age=\d+$/);
  assert.equal(response.headers.get("referrer-policy"), "no-referrer");
  const location = response.headers.get("location");
  assert.ok(location.startsWith(`${emulator.url}/results-bucket/results/`));

  const whole = await fetch(output.url);
  assert.equal(whole.headers.get("content-type"), "image/png");
  const disposition = whole.headers.get("content-disposition");
  assert.match(disposition, /^attachment; filename="b-png\.png"/);
  assert.equal(sha256(Buffer.from(await whole.arrayBuffer())), sha256(BYTES));
  const inline = await fetch(`${output.url}?inline`);
  assert.match(inline.headers.get("content-disposition"), /^inline; /);
  await inline.body.cancel();
  const head = await fetch(output.url, { method: "HEAD" });
  assert.deepEqual([head.redirected, head.status], [true, 200]);
  const listed = (await send("tasks")).data.tasks[0].outputs[0];
  assert.deepEqual(listed, output);
});

test("while a result is not kept, its address leads to the media service", async (t) => {
  const port = await freePort();
  const later = `http://127.0.0.1:${port}`;
  const { host, send, create } = await startResults(t, {
    settings: bucketOf({ ...emulator, url: later }),
  });
  const task = await create("b.png");
  const [output] = (await send(`generate/tasks/${task}`)).data.task.outputs;
  assert.equal(output.kept, false);
  const response = await visit(output.url);
  assert.equal(response.headers.get("location"), `${host.url}/b.png`);
  assert.equal(response.headers.get("cache-control"), "private, no-store");
  // The bucket is available again, and the next attempt succeeds.
  const bucket = await startEmulator([], port);
  try {
    const [kept] = await settled(send, task);
    assert.equal(kept.kept, true);
    assert.equal(kept.url, output.url);
  } finally {
    await bucket.stop();
  }
});

test("a result that a browser could run, or of an unknown type, is an attachment", async (t) => {
  const { send, create } = await startResults(t);
  const [page] = await settled(send, await create("page"));
  const [video] = await settled(send, await create("a.mp4"));
  assert.equal(page.content_type, "application/octet-stream");
  assert.equal(video.content_type, "video/mp4");
  const response = await fetch(`${page.url}?inline`);
  assert.match(response.headers.get("content-disposition"), /^attachment; /);
  assert.equal(
    response.headers.get("content-type"),
    "application/octet-stream",
  );
  await response.body.cancel();
});

test("a result that came as text is kept like any other", async (t) => {
  const { gateway, outputs, send, create } = await startResults(t);
  const bytes = Buffer.from(picture(40, 30));
  outputs.inline = [{ b64_json: bytes.toString("base64") }];
  const task = await create("inline");
  const first = (await send(`generate/tasks/${task}`)).data.task.outputs[0];
  const early = await fetch(first.url);
  assert.equal(sha256(Buffer.from(await early.arrayBuffer())), sha256(bytes));
  const [output] = await settled(send, task);
  assert.ok(output.url.startsWith(`${gateway}/api/app/v1/results/`));
  assert.equal(output.content_type, "image/png");
  const response = await fetch(output.url);
  assert.ok(response.url.startsWith(`${emulator.url}/`), response.url);
  assert.equal(
    sha256(Buffer.from(await response.arrayBuffer())),
    sha256(bytes),
  );
});

test("webhooks and events contain the permanent address", async (t) => {
  const hooks = [];
  const backend = await serve(async (incoming, response) => {
    hooks.push(await json(incoming));
    response.writeHead(204).end();
  });
  t.after(() => backend.stop());
  const address = "https://media.example.com";
  const { send, create } = await startResults(t, {
    settings: {
      PUBLIC_URL: address,
      WEBHOOK_URLS: backend.url,
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
    },
  });
  const id = await create("b.png");
  const [output] = await settled(send, id);
  assert.ok(output.url.startsWith(`${address}/api/app/v1/results/`));
  const { text } = await send(`tasks/${id}/events`);
  const line = /^data: (.*)$/m.exec(text);
  assert.equal(JSON.parse(line[1]).data.task.outputs[0].url, output.url);
  await until(() => hooks.length > 0, "a webhook came");
  assert.equal(hooks[0].data.task.outputs[0].url, output.url);
});

test("a result that can't be kept has a reason, and its address leads to the media service", async (t) => {
  const { host, outputs, send, create } = await startResults(t, {
    settings: { RESULTS_BYTES: String(BYTES.length - 1) },
  });
  outputs.foreign = ["https://elsewhere.example/a.png"];
  for (const [name, reason] of [
    ["b.png", "results_full"],
    ["endless", "output_without_length"],
    ["foreign", "output_host_not_allowed"],
  ]) {
    const [output] = await settled(send, await create(name));
    assert.deepEqual([output.kept, output.not_kept], [false, reason]);
    const location = (await visit(output.url)).headers.get("location");
    const expected =
      name === "foreign" ? outputs.foreign[0] : `${host.url}/${name}`;
    assert.equal(location, expected);
  }
});

test("each failed attempt to keep a result is a line of the log and a reason in the record", async (t) => {
  const bucket = await serve((_, response) => response.writeHead(403).end());
  t.after(() => bucket.stop());
  const { send, create, logs } = await startResults(t, {
    settings: bucketOf({ ...emulator, url: bucket.url }),
  });
  const [output] = await settled(send, await create("b.png"));
  assert.deepEqual([output.kept, output.not_kept], [false, "storage_refused"]);
  const lines = logged(logs).filter(({ operation }) => operation === "keep");
  assert.deepEqual(
    [lines[0].problem, lines[0].status],
    ["storage_refused", 403],
  );
  assert.ok(Date.parse(lines[0].next) > Date.parse(lines[0].time));
});

test("a result's address can be an input even after the media service has lost the file", async (t) => {
  const { host, send, create, storage } = await startResults(t, {
    settings: { INPUT_HOSTS: "files.example" },
  });
  const [output] = await settled(send, await create("b.png"));
  const move = (url, init = {}) =>
    send("files", { body: { url, kind: "image" }, ...init });
  host.seen.length = 0;
  const moved = await move(output.url);
  assert.deepEqual([moved.status, moved.data.size], [200, BYTES.length]);
  assert.equal(storage.stored.at(-1).hash, sha256(BYTES));
  assert.deepEqual(host.seen, []);
  const { file_id } = moved.data;
  assert.equal((await move(output.url)).data.file_id, file_id);

  const reply = await move(output.url, { bearer: token("bob") });
  const reason = [reply.status, reply.data.reason];
  assert.deepEqual(reason, [422, "input_host_not_allowed"]);
  const altered = await move(`${output.url}x`);
  assert.equal(altered.data.reason, "input_host_not_allowed");
});

test("the bytes of all anonymous callers together are limited", async (t) => {
  const { gateway, send, create } = await startResults(t, {
    settings: {
      ANONYMOUS_SESSIONS: "on",
      ALLOWED_ORIGINS: "https://app.example",
      ANONYMOUS_RESULTS_BYTES: String(BYTES.length),
    },
  });
  const session = async () => ({
    bearer: await sessionToken(gateway, "https://app.example"),
  });
  const one = await session();
  const other = await session();
  const [first] = await settled(send, await create("b.png", one), one);
  assert.equal(first.kept, true);
  const id = await create("b.png", other);
  const [second] = await settled(send, id, other);
  assert.equal(second.not_kept, "results_full");
  // Forgetting the first makes room.
  const { tasks } = (await send("tasks", one)).data;
  const forgotten = await send(`tasks/${tasks[0].id}`, {
    method: "DELETE",
    ...one,
  });
  assert.equal(forgotten.status, 200);
  await gone(first.url);
  const [third] = await settled(send, await create("a.mp4", other), other);
  assert.equal(third.kept, true);
});

/** Waits until an address no longer works. */
const gone = (url) =>
  until(async () => (await visit(url)).status === 404, "the result is gone");

test("forgetting a task deletes its results", async (t) => {
  const { send, create } = await startResults(t);
  const id = await create("b.png");
  const [output] = await settled(send, id);
  const signed = (await visit(output.url)).headers.get("location");
  assert.equal((await fetch(signed)).status, 200);
  assert.equal((await send(`tasks/${id}`, { method: "DELETE" })).status, 200);
  await until(
    async () => (await fetch(signed)).status === 404,
    "the object is deleted",
  );
});

test("an address that the gateway did not make does not work", async (t) => {
  const { gateway, send, create } = await startResults(t);
  const [output] = await settled(send, await create("b.png"));
  const sealed = output.url.split("/").pop();
  const other = token("bob");
  const init = { bearer: other };
  const [bobs] = await settled(send, await create("b.png", init), init);
  assert.notEqual(bobs.url, output.url);
  for (const path of [
    `${sealed.slice(0, -1)}${sealed.endsWith("A") ? "B" : "A"}`,
    sealed.slice(1),
    "x",
    // Another sealed text of the gateway.
    output.url.split("/").pop().split("").reverse().join(""),
  ]) {
    const url = `${gateway}/api/app/v1/results/${path}`;
    assert.equal((await visit(url)).status, 404, path);
  }
  const signed = (await visit(output.url)).headers.get("location");
  const theirs = (await visit(bobs.url)).headers.get("location");
  const swapped = new URL(signed);
  swapped.pathname = new URL(theirs).pathname;
  assert.equal((await fetch(swapped)).status, 403);
  assert.equal((await fetch(signed, { method: "DELETE" })).status, 403);
});

test("a gateway that is killed while it moves a result goes on", async (t) => {
  let requests = 0;
  const host = {
    "/slow.png": (_, response) => {
      requests += 1;
      response.writeHead(200, {
        "content-type": "image/png",
        "content-length": BYTES.length,
      });
      if (requests > 1) return response.end(BYTES);
      return response.write(BYTES.subarray(0, 1000));
    },
  };
  const { send, create, restart } = await startResults(t, {
    host,
    persist: true,
  });
  const id = await create("slow.png");
  await send(`generate/tasks/${id}`);
  while (requests === 0) await sleep(50);
  await restart();
  // The object's alarm wakes it, some seconds after the kill.
  const [output] = await settled(send, id);
  assert.ok(output.kept);
  assert.equal(requests, 2);
});

test("an expired address leads nowhere, and its result is not kept again", async (t) => {
  const { host, send, create, restart, state } = await startResults(t, {
    persist: true,
  });
  const id = await create("b.png");
  const [output] = await settled(send, id);
  const long =
    "UPDATE results SET expires_at = 1; UPDATE creates SET created_at = 1";
  await restart(() => changeStored(state, "results", long));
  const path = new URL(output.url).pathname;
  const ended = await send(path.replace("/api/app/v1/", ""));
  assert.equal(ended.status, 404);
  const [now] = (await send(`generate/tasks/${id}`)).data.task.outputs;
  assert.deepEqual(now, { url: `${host.url}/b.png`, kind: "image" });
  await sleep(1000);
  assert.deepEqual(host.seen, ["GET /b.png"]);
});

test("a result is kept even if nobody reads its task", async (t) => {
  const { host, send, create, ended } = await startResults(t, {
    host: { "/running-b.png": HOST["/b.png"] },
  });
  const id = await create("running-b.png");
  ended.add("running-b.png");
  await until(() => host.seen.length > 0, "the watcher has seen the end");
  const [output] = await settled(send, id);
  assert.equal(output.kept, true);
});
