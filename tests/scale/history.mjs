// What a history of 10,000 entries costs: the time of a page, of a create and of a task's end, and the ledger's bytes. The
// figures of docs/scale.md. Run after `cargo xtask build`, with Python 3: node tests/scale/history.mjs
import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, createTask, request } from "../bench/support/callers.mjs";
import { quantile } from "../bench/support/rounds.mjs";
import { sendJson, serve } from "../bench/support/server.mjs";
import { startGateway } from "../bench/support/workerd.mjs";
import { token } from "../support/token.mjs";
import { each, stored } from "./disk.mjs";

const ENTRIES = 10_000;
const AT_ONCE = 16;
const PAGE = 50;
/** How often each request is timed. */
const SAMPLES = 200;
/** Creates while all pages are listed. */
const MEANWHILE = 500;
const SUBJECT = "alice";

/** An upstream whose tasks have prompts of 200 characters, and are over when they are read. It rejects a prompt of "no". */
async function startUpstream() {
  let creates = 0;
  const record = {
    model_id: "seedance_2.0_mini",
    prompt: "p".repeat(200),
    created_at: "2026-01-01T00:00:00Z",
  };
  return serve(async (incoming, response) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    if (body.includes('"no"'))
      return sendJson(response, {
        code: 1401,
        message: "insufficient credits",
      });
    const isCreate = incoming.method === "POST";
    const id = isCreate
      ? `task-${String(++creates).padStart(12, "0")}`
      : incoming.url.split("/").at(-1);
    const outputs = isCreate ? [] : [`https://cdn.example/${id}.mp4`];
    const task = {
      id,
      status: isCreate ? "QUEUED" : "SUCCEEDED",
      ...record,
      outputs,
    };
    sendJson(response, { code: 0, message: "ok", data: { task } });
  });
}

const list = (url, cursor) =>
  call(
    url,
    request(
      token(SUBJECT),
      "GET",
      `/api/app/v1/tasks?limit=${PAGE}${cursor === undefined ? "" : `&cursor=${cursor}`}`,
    ),
  );

/** All entries, as a client lists them, and the cursor of the last page. */
async function listAll(url) {
  const entries = [];
  let last;
  for (let cursor; ; last = cursor) {
    const page = await list(url, cursor);
    entries.push(...page.tasks);
    if (page.cursor === undefined) return { entries, last };
    ({ cursor } = page);
  }
}

/** Each entry once, newest first, and among them all of these. */
function check(entries, ids) {
  const listed = entries.map((it) => it.id);
  assert.equal(new Set(listed).size, listed.length, "an entry is listed twice");
  const missing = new Set(ids);
  for (const id of listed) missing.delete(id);
  assert.equal(missing.size, 0, "an entry is missing");
  for (const [at, { created_at }] of entries.entries()) {
    assert.ok(
      at === 0 || created_at <= entries[at - 1].created_at,
      "an older entry is before a newer one",
    );
  }
}

/** The milliseconds of some calls, one after the other: median and 95th percentile. */
async function time(work, samples = SAMPLES) {
  const times = [];
  for (let count = 0; count < samples; count += 1) {
    const start = performance.now();
    await work(count);
    times.push(performance.now() - start);
  }
  return {
    "median, ms": Number(quantile(times).toFixed(2)),
    "p95, ms": Number(quantile(times, 0.95).toFixed(2)),
  };
}

/** The ledger's bytes while the gateway runs, from a copy. */
async function ledgerBytes(folder) {
  const copy = await newFolder();
  try {
    await cp(folder, copy, { recursive: true });
    return (await stored(copy, "Ledger")).bytes;
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function measure(url, folder) {
  const rows = {};
  const ids = [];
  const create = async () => ids.push(await createTask(url, SUBJECT));
  const end = (id) =>
    call(
      url,
      request(token(SUBJECT), "GET", `/api/app/v1/generate/tasks/${id}`),
    );
  const withBudget = () => {
    // All of the ledger's creates are counted.
    const bearer = token(SUBJECT, "generate:*", {
      budget: { creates: 1_000_000 },
    });
    return call(
      url,
      request(
        bearer,
        "POST",
        "/api/app/v1/generate/image/text_to_image_turbo",
        { prompt: "p" },
      ),
    );
  };
  const reject = () =>
    createTask(url, SUBJECT, { prompt: "no" }).then(assert.fail, () => {});
  // Another subject warms everything up.
  await time(() => createTask(url, "bob"));
  rows["create, none before it"] = await time(create);
  rows["end of a task"] = await time((count) => end(ids[count]));
  rows["first page"] = await time(() => list(url));

  rows["rejected create"] = await time(reject);
  const bytesBefore = await ledgerBytes(folder);
  const more = ENTRIES - ids.length;
  await each(Array.from({ length: more }), AT_ONCE, create);
  const perEntry = ((await ledgerBytes(folder)) - bytesBefore) / more;
  const { entries, last } = await listAll(url);
  assert.equal(entries.length, ENTRIES);
  check(entries, ids);
  rows[`first page of ${ENTRIES}`] = await time(() => list(url));
  rows["last page"] = await time(() => list(url, last));

  const before = [...ids];
  const creating = each(Array.from({ length: MEANWHILE }), AT_ONCE, create);
  check((await listAll(url)).entries, before);
  await creating;
  check((await listAll(url)).entries, ids);

  rows[`create, ${ENTRIES} before it`] = await time(create);
  rows["end of a task, as many before it"] = await time((count) =>
    end(ids[ids.length - 1 - count]),
  );
  rows["rejected create, as many before it"] = await time(reject);
  rows["the first create with a budget"] = await time(withBudget, 1);
  rows["the next ones"] = await time(withBudget);
  return { rows, perEntry };
}

const newFolder = () => mkdtemp(join(tmpdir(), "mediagate-history-"));
const folder = await newFolder();
const upstream = await startUpstream();
// Of that limit, 10,000 is the most.
const gateway = await startGateway(
  upstream.url,
  { MAX_TASKS_IN_FLIGHT: "0" },
  { folder },
);
try {
  const { rows, perEntry } = await measure(gateway.url, folder);
  console.table(rows);
  console.log(`${Math.round(perEntry)} bytes on the disk for each entry`);
} finally {
  await gateway.stop();
  await upstream.stop();
  await rm(folder, { recursive: true });
}
