// An output of a task becomes an input. The gateway moves its bytes, if the host is in the
// operator's list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { token } from "../support/token.mjs";
import {
  BYTES,
  file,
  reasonOf,
  sha256,
  startTransfers,
} from "../support/transfers.mjs";

/** Sends the bytes over some seconds. */
const slowly = async (_, response) => {
  response.writeHead(200, { "content-length": BYTES.length });
  for (let at = 0; at < BYTES.length && !response.destroyed; at += 20_000) {
    response.write(BYTES.subarray(at, at + 20_000));
    await sleep(500);
  }
  response.end();
};

/** The answers of a media host, by path. */
const HOST = {
  "/ok.png": file("image/png"),
  "/page": file("text/html"),
  "/slow": slowly,
  "/elsewhere": (_, response) =>
    response
      .writeHead(302, { location: "http://169.254.169.254/latest/meta-data" })
      .end(),
  "/gone": (_, response) => response.writeHead(403).end("expired"),
  "/endless": (_, response) => response.writeHead(200).write(BYTES),
  "/longer": (_, response) =>
    response
      .writeHead(200, { "content-length": BYTES.length + 1 })
      .write(BYTES, () => response.destroy()),
  "/empty": (_, response) =>
    response.writeHead(200, { "content-length": 0 }).end(),
  "/huge": (_, response) =>
    response.writeHead(200, { "content-length": 10_000_000_000 }).write(BYTES),
  "/coded": (_, response) =>
    response
      .writeHead(200, {
        "content-length": BYTES.length,
        "content-encoding": "gzip",
      })
      .end(BYTES),
  "/stalled": (_, response) =>
    response
      .writeHead(200, { "content-length": BYTES.length })
      .write(BYTES.subarray(0, 10)),
};

test("an output is moved once, byte for byte, and has one file id", async (t) => {
  const { host, storage, create, move, uploads } = await startTransfers(
    t,
    HOST,
  );
  const task = await create("ok.png");
  const moved = await Promise.all([move(task, 0), move(task), move(task, 0)]);
  for (const reply of moved)
    assert.deepEqual(
      [reply.status, reply.data.size],
      [200, BYTES.length],
      JSON.stringify(reply.data),
    );
  assert.equal(new Set(moved.map((reply) => reply.data.file_id)).size, 1);
  assert.equal((await move(task)).data.file_id, moved[0].data.file_id);
  assert.ok(!moved[0].data.file_id.includes("file-1"), "the id is sealed");
  assert.deepEqual([uploads.length, host.seen], [1, ["GET /ok.png"]]);
  assert.equal(storage.stored[0].hash, sha256(BYTES));
  assert.deepEqual(
    [
      storage.stored[0].headers["content-type"],
      storage.stored[0].headers["content-length"],
    ],
    ["image/png", String(BYTES.length)],
  );
});

test("a hostile or broken host is refused with a reason, and nothing counts as moved", async (t) => {
  const { create, move, moveToEnd, host, outputs, uploads } =
    await startTransfers(t, HOST, {
      settings: { MAX_UPLOAD_BYTES: "1000000000" },
    });
  outputs.private = ["http://10.0.0.1/a.png"];
  // Like a name of a server that has no certificate for it.
  outputs.uncertified = [`${host.url.replace("http:", "https:")}/ok.png`];
  outputs.asset = [{ asset_id: "asset-1" }];
  for (const [name, expected] of [
    ["private", "output_host_not_allowed"],
    ["elsewhere", "output_host_not_allowed"],
    ["uncertified", "output_unavailable"],
    ["gone", "output_unavailable"],
    ["endless", "output_without_length"],
    ["coded", "output_without_length"],
    ["empty", "file_too_large"],
    ["huge", "file_too_large"],
    ["asset", "output_without_url"],
    ["page", "invalid_fields"],
  ]) {
    assert.equal(reasonOf(await move(await create(name))), expected, name);
  }
  assert.equal(uploads.length, 0, "no upload URL was requested");
  assert.ok(
    !host.seen.includes("GET /ok.png"),
    "no request is sent without a certificate",
  );
  assert.equal(
    reasonOf(await move(await create("longer"))),
    "transfer_interrupted",
  );
  assert.equal(
    reasonOf(await moveToEnd(await create("stalled"))),
    "transfer_stalled",
  );
});

test("a request that names no output of the caller's is refused", async (t) => {
  const { create, move, send } = await startTransfers(t, HOST);
  const task = await create("ok.png");
  assert.equal(reasonOf(await move(task, 1)), "unknown_output");
  assert.equal(reasonOf(await move(await create("running"))), "task_running");
  assert.equal(
    reasonOf(await move(task, 0, { bearer: token("bob") })),
    "unknown_task",
  );
  assert.equal(reasonOf(await move("nonsense", 0)), "unknown_task");
  for (const output of [-1, "0"]) {
    assert.equal(
      reasonOf(await move(task, output)),
      "invalid_fields",
      String(output),
    );
  }
  const body = { task_id: 1 };
  assert.equal(reasonOf(await send("files", { body })), "invalid_fields");
  const reader = token("alice", "generate:*");
  assert.equal(reasonOf(await move(task, 0, { bearer: reader })), "scope");
});

test("an output is moved once its task has ended, which is read once a second at most", async (t) => {
  const { create, move, outputs, host, ended, polls } = await startTransfers(
    t,
    HOST,
  );
  outputs["running-still"] = [`${host.url}/ok.png`];
  const task = await create("running-still");
  for (const reply of await Promise.all(
    Array.from({ length: 20 }, () => move(task)),
  ))
    assert.equal(reasonOf(reply), "task_running");
  assert.ok(polls.length <= 2, `${polls.length} polls`);
  ended.add("running-still");
  await sleep(1_100);
  assert.equal((await move(task)).data.size, BYTES.length);
});

test("a task is read once for all its outputs, within UPSTREAM_POLLS_PER_SECOND", async (t) => {
  const names = Array.from({ length: 10 }, (_, number) => `/ok-${number}.png`);
  const { create, move, outputs, host, polls } = await startTransfers(
    t,
    {
      ...HOST,
      ...Object.fromEntries(names.map((name) => [name, HOST["/ok.png"]])),
    },
    { settings: { UPSTREAM_POLLS_PER_SECOND: "1" } },
  );
  outputs.ten = names.map((name) => `${host.url}${name}`);
  const task = await create("ten");
  const moved = await Promise.all(
    outputs.ten.map((_, number) => move(task, number)),
  );
  assert.deepEqual(
    new Set(moved.map((reply) => reply.data.size)),
    new Set([BYTES.length]),
    moved.map((reply) => reply.text).join(),
  );
  assert.equal(reasonOf(await move(task, 10)), "unknown_output");
  assert.equal(polls.length, 1);
  const others = await Promise.all(names.map((name) => create(name.slice(1))));
  const replies = await Promise.all(others.map((other) => move(other)));
  // One poll a second. Requests that would wait longer than two seconds are refused.
  const late = replies.filter((reply) => reply.status === 429);
  assert.ok(
    late.length > 5 && polls.length <= 5,
    `${late.length} refused, ${polls.length} polls`,
  );
  assert.equal(late[0].headers.get("retry-after"), "5");
});

test("a URL may have characters that should be escaped", async (t) => {
  const { create, move, outputs, host } = await startTransfers(t, {
    ...HOST,
    "/%D1%84%7Cit%27s.png": HOST["/ok.png"],
  });
  outputs.plain = [`${host.url}/ф|it's.png`];
  assert.equal((await move(await create("plain"))).data.size, BYTES.length);
});

test("without OUTPUT_HOSTS nothing is moved", async (t) => {
  const { create, move, host } = await startTransfers(t, HOST, {
    settings: { OUTPUT_HOSTS: "" },
  });
  const reply = await move(await create("ok.png"));
  assert.equal(reasonOf(reply), "unknown_path");
  assert.match(reply.message, /OUTPUT_HOSTS/);
  assert.deepEqual(host.seen, []);
});

test("a long transfer reports its progress, and a repeated request waits on", async (t) => {
  const { create, move, host, uploads } = await startTransfers(t, HOST);
  const task = await create("slow");
  const first = await move(task);
  assert.equal(first.status, 200);
  assert.deepEqual(
    [first.data.file_id, first.data.total],
    [undefined, BYTES.length],
  );
  assert.ok(
    first.data.loaded > 0 && first.data.loaded < BYTES.length,
    String(first.data.loaded),
  );
  assert.equal(first.data.progress, first.data.loaded / BYTES.length);
  const second = await move(task);
  assert.equal(second.data.size, BYTES.length, JSON.stringify(second.data));
  assert.deepEqual([uploads.length, host.seen.length], [1, 1]);
});

test("a transfer goes on when its caller leaves", async (t) => {
  const { create, send, move, storage, host } = await startTransfers(t, HOST);
  const task = await create("slow");
  const left = new AbortController();
  const lost = assert.rejects(
    send("files", { body: { task_id: task }, signal: left.signal }),
  );
  while (host.seen.length === 0) await sleep(50);
  left.abort();
  await lost;
  while (storage.stored.length === 0) await sleep(100);
  assert.equal((await move(task)).data.size, BYTES.length);
  assert.equal(host.seen.length, 1);
});

test("a transfer that a kill interrupts starts again, and ends with one file id", async (t) => {
  const { create, move, restart, storage } = await startTransfers(t, HOST, {
    persist: true,
  });
  const task = await create("slow");
  const lost = move(task).catch(() => "lost");
  await sleep(2000);
  await restart();
  await lost;
  let reply = await move(task);
  for (let attempt = 0; attempt < 5 && !reply.data?.file_id; attempt += 1)
    reply = await move(task);
  assert.equal(reply.data.size, BYTES.length, JSON.stringify(reply.data));
  assert.equal((await move(task)).data.file_id, reply.data.file_id);
  assert.equal(storage.stored.at(-1).hash, sha256(BYTES));
});

test("a failure is not final: a request some seconds later tries again", async (t) => {
  const { create, move, storage } = await startTransfers(t, HOST);
  const task = await create("ok.png");
  storage.status = 500;
  assert.equal(reasonOf(await move(task)), "storage_refused");
  storage.status = 200;
  assert.equal(
    (await move(task)).status,
    502,
    "the failure is reported for some seconds",
  );
  await sleep(10_500);
  assert.equal((await move(task)).status, 200);
});
