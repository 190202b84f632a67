// Durable Objects: creates that happen once, and updates of a task, compared with polling.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { connect } from "mediagate";
import { token } from "../../support/token.mjs";
import {
  callers,
  createTask,
  plainCallers,
  request,
  waitOnStream,
} from "../support/callers.mjs";
import { loadAll } from "../support/load.mjs";
import { quantile } from "../support/rounds.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startDurablePeer, startGateway } from "../support/workerd.mjs";
import { measureLearning } from "./durable-learning.mjs";

export const title = "Durable paths";

/** A folder in memory, on Linux. */
const MEMORY = "/dev/shm";
const CAPABILITY = "text_to_image_turbo";

export async function run({ quick }) {
  const throughput = await throughLedgers(quick);
  const updates = await measureUpdates(...(quick ? [6, 3] : [24, 8]));
  const learning = await measureLearning(
    quick,
    existsSync(MEMORY) ? MEMORY : tmpdir(),
  );
  return { tables: [...throughput, updates, learning] };
}

/**
 * The creates of one subject go through one object, one after the other; those of many subjects through many. Each is
 * written down twice: on a disk that waits for `fsync`, and in memory, where only the CPU limits them.
 */
async function throughLedgers(quick) {
  const tables = [await creates("on the disk", tmpdir(), quick)];
  if (existsSync(MEMORY))
    tables.push(await creates("in memory", MEMORY, quick));
  return tables;
}

async function creates(where, folder, quick) {
  const upstream = await startUpstream();
  const gateway = await startGateway(upstream.url, {}, { folder });
  const peer = await startDurablePeer(upstream.url, { folder });
  try {
    const subjects = {};
    for (const [name, count] of Object.entries({
      "one subject": 1,
      "64 subjects": 64,
    })) {
      const [ours, theirs] = [
        await callers(gateway.url, count),
        plainCallers(count),
      ];
      subjects[`${name}, mediagate`] = {
        worker: gateway,
        next: () => ours.create(),
      };
      subjects[`${name}, JavaScript`] = {
        worker: peer,
        next: () => theirs.create(),
      };
    }
    // Not longer: a subject may have 10,000 tasks in flight, and these never end.
    const rows = await loadAll(
      subjects,
      quick ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 2 },
    );
    return {
      title: `Creates with storage ${where}, each with its own key; milliseconds`,
      columns: ["requests/s", "p50", "p99", "CPU per request"],
      rows,
    };
  } finally {
    await Promise.all([gateway.stop(), peer.stop()]);
    await upstream.stop();
  }
}

/** How late each way of waiting sees the end of a task, and the requests that it takes. */
async function measureUpdates(count, seconds) {
  const [ends, polls] = [new Map(), new Map()];
  const upstream = await startUpstream((id, count) => {
    polls.set(id, count);
    return Date.now() >= ends.get(id);
  });
  const gateway = await startGateway(upstream.url);
  const wait = async (way, raw, id) => {
    // Spread evenly over `seconds`, and not aligned with any timer.
    const end = Date.now() + 1000 + ((ends.size * 997) % (1000 * seconds));
    ends.set(raw, end);
    const requests = await way(gateway.url, id);
    return { late: Date.now() - end, requests, polls: polls.get(raw) };
  };
  const ways = {
    "event stream": (url, id) => waitOnStream(url, id, "alice"),
    "mediagate's client": follow,
    "polling twice a second, as fal's client": pollEvery(500),
    "polling every 5 s": pollEvery(5000),
  };
  const waiting = {};
  try {
    for (const [name, way] of Object.entries(ways)) {
      waiting[name] = [];
      for (let index = 0; index < count; index++) {
        // The upstream numbers its tasks; the sealed id hides the number.
        const raw = `t-${upstream.creates}`;
        waiting[name].push(
          wait(way, raw, await createTask(gateway.url, "alice")),
        );
      }
    }
    const rows = {};
    for (const name of Object.keys(ways))
      rows[name] = summary(await Promise.all(waiting[name]));
    return {
      title:
        "Delay from the end of a task at the upstream to the caller that waits for it",
      columns: [
        "p50, ms",
        "p90, ms",
        "requests to the gateway",
        "requests to the upstream",
      ],
      rows,
      notes: [
        `${count} tasks each, which end after 1 to ${1 + seconds} s; requests are those for one task, on average`,
      ],
    };
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

function summary(seen) {
  const late = seen.map((it) => it.late);
  const mean = (key) =>
    seen.reduce((sum, it) => sum + it[key], 0) / seen.length;
  return [quantile(late), quantile(late, 0.9), mean("requests"), mean("polls")];
}

// Each waits until the task is over, and returns the number of its requests.

async function follow(url, id) {
  let requests = 0;
  const countingFetch = (url, init) => {
    requests++;
    return fetch(url, init);
  };
  const media = await connect({ url, token: token(), fetch: countingFetch });
  await media.task({ id, capability: CAPABILITY }).done();
  return requests;
}

function pollEvery(milliseconds) {
  return async (url, id) => {
    const { path, ...init } = request(
      token(),
      "GET",
      `/api/app/v1/generate/tasks/${id}`,
    );
    for (let requests = 1; ; requests++) {
      const { data } = await (await fetch(url + path, init)).json();
      if (data.task.state === "SUCCEEDED") return requests;
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  };
}
