// Measures the bytes that a create and a watched task leave on the disk, and how often the upstream
// is polled: the figures of docs/scale.md. Run after `cargo xtask build`, with Python 3: node
// tests/scale/measure.mjs
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { each, stored } from "./disk.mjs";

const RECORD = {
  model_id: "seedance_2.0_mini",
  prompt: "p".repeat(200),
  created_at: "2026-01-01T00:00:00Z",
};

async function startPolledUpstream() {
  const polls = new Map();
  let creates = 0;
  const task = (id, status) => ({
    json: {
      code: 0,
      data: {
        task: {
          id,
          status,
          ...RECORD,
          outputs: [`https://cdn.example/${id}.mp4`],
        },
      },
    },
  });
  return startUpstream(({ method, path }) => {
    if (method === "POST")
      return task(`task-${String(++creates).padStart(12, "0")}`, "QUEUED");
    const id = path.split("/").at(-1);
    polls.set(id, (polls.get(id) ?? 0) + 1);
    return task(id, polls.get(id) < 3 ? "RUNNING" : "SUCCEEDED");
  });
}

async function measure({ subjects, creates, watchers }) {
  const state = await mkdtemp(join(tmpdir(), "mediagate-scale-"));
  const upstream = await startPolledUpstream();
  const gateway = await startGateway(
    { UPSTREAM_BASE_URL: upstream.url },
    { state },
  );
  const api = `${gateway.url}/api/app/v1`;
  const ids = [];
  const jobs = Array.from(
    { length: subjects * creates },
    (_, at) => `subject-${at % subjects}`,
  );
  await each(jobs, 20, async (subject) => {
    const headers = {
      authorization: `Bearer ${token(subject)}`,
      "idempotency-key": crypto.randomUUID(),
    };
    const body = JSON.stringify({ prompt: RECORD.prompt });
    const response = await fetch(`${api}/generate/image/text_to_image_turbo`, {
      method: "POST",
      headers,
      body,
    });
    ids.push([subject, (await response.json()).data.task.id]);
  });
  const subscribers = ids.flatMap((id) =>
    Array.from({ length: watchers }, () => id),
  );
  await each(subscribers, subscribers.length || 1, async ([subject, id]) => {
    await (
      await fetch(`${api}/tasks/${id}/events`, {
        headers: { authorization: `Bearer ${token(subject)}` },
      })
    ).text();
  });
  await gateway.stop();
  const polls = upstream.seen.filter(
    (request) => request.method === "GET",
  ).length;
  await upstream.stop();
  const ledgers = await stored(state, "Ledger");
  const watched = await stored(state, "Watcher");
  await rm(state, { recursive: true });
  return { ledgers, watched, polls, tasks: ids.length };
}

const rows = [
  { subjects: 1, creates: 1, watchers: 0 },
  { subjects: 1, creates: 100, watchers: 0 },
  { subjects: 1, creates: 1000, watchers: 0 },
  { subjects: 100, creates: 1, watchers: 0 },
  { subjects: 1, creates: 50, watchers: 1 },
  { subjects: 1, creates: 1, watchers: 100 },
];
const table = [];
for (const row of rows) {
  const { ledgers, watched, polls, tasks } = await measure(row);
  table.push({
    ...row,
    ledgers: ledgers.objects,
    "ledger bytes": ledgers.bytes,
    "bytes per create": Math.round(ledgers.bytes / tasks),
    watched: watched.objects,
    "bytes per watched task":
      watched.objects && Math.round(watched.bytes / watched.objects),
    "polls per task": polls / tasks,
  });
}
console.table(table);
