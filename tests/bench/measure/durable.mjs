// What Durable Objects do: creates that are made once, and news of a task, beside asking for it again and again.
import { connect } from "mediagate";
import { token } from "../../support/token.mjs";
import { callers, createdTask, listened, request } from "../support/callers.mjs";
import { loadAll } from "../support/load.mjs";
import { quantile } from "../support/rounds.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startGateway } from "../support/workerd.mjs";

export const title = "Durable paths";

const CAPABILITY = "text_to_image_turbo";

export async function run({ quick }) {
  const creates = await throughLedgers(quick);
  const news = await newsOf(...(quick ? [6, 3] : [24, 8]));
  return { tables: [creates, news] };
}

/** One subject's creates are written by one object, one after the other; those of many by many. */
async function throughLedgers(quick) {
  const upstream = await startUpstream();
  const gateway = await startGateway(upstream.url);
  try {
    const [one, many] = [await callers(gateway.url, 1), await callers(gateway.url, 64)];
    const subjects = { "one subject": { worker: gateway, next: () => one.create() }, "64 subjects": { worker: gateway, next: () => many.create() } };
    const rows = await loadAll(subjects, quick ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 3 });
    return { title: "Creates through the ledger, each with a key of its own; milliseconds", columns: ["requests/s", "p50", "p99", "CPU a request"], rows };
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

/** How late each way of waiting learns that a task has ended, and what it asks for that. */
async function newsOf(count, seconds) {
  const [ends, looks] = [new Map(), new Map()];
  const upstream = await startUpstream((id, seen) => {
    looks.set(id, seen);
    return Date.now() >= ends.get(id);
  });
  const gateway = await startGateway(upstream.url);
  const wait = async (way, raw, id) => {
    // Spread evenly over these seconds, and out of step with every timer.
    const end = Date.now() + 1000 + ((ends.size * 997) % (1000 * seconds));
    ends.set(raw, end);
    const requests = await way(gateway.url, id);
    return { late: Date.now() - end, requests, looks: looks.get(raw) };
  };
  const ways = { "event stream": (url, id) => listened(url, id, "alice"), "mediagate's client": follow, "polling twice a second, as fal's client": poll(500), "polling every 5 s": poll(5000) };
  const waiting = {};
  try {
    for (const [name, way] of Object.entries(ways)) {
      waiting[name] = [];
      for (let index = 0; index < count; index++) {
        // The service numbers its tasks, and the sealed id hides the number.
        const raw = `t-${upstream.creates}`;
        waiting[name].push(wait(way, raw, await createdTask(gateway.url, "alice")));
      }
    }
    const rows = {};
    for (const name of Object.keys(ways)) rows[name] = summary(await Promise.all(waiting[name]));
    return {
      title: "From the end of a task at the service to whoever waits for it",
      columns: ["p50, ms", "p90, ms", "requests to the gateway", "requests to the service"],
      rows,
      notes: [`${count} tasks each, which end after 1 to ${1 + seconds} s; requests are those for one task, on average`],
    };
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

function summary(seen) {
  const late = seen.map((it) => it.late);
  const mean = (key) => seen.reduce((sum, it) => sum + it[key], 0) / seen.length;
  return [quantile(late), quantile(late, 0.9), mean("requests"), mean("looks")];
}

// Each waits until the task is over, and gives the number of requests that took.

async function follow(url, id) {
  let requests = 0;
  const counted = (...given) => (requests++, fetch(...given));
  const media = await connect({ url, token: token(), fetch: counted });
  await media.task({ id, capability: CAPABILITY }).done();
  return requests;
}

function poll(milliseconds) {
  return async (url, id) => {
    const { path, ...init } = request(token(), "GET", `/api/app/v1/generate/tasks/${id}`);
    for (let requests = 1; ; requests++) {
      const { data } = await (await fetch(url + path, init)).json();
      if (data.task.state === "SUCCEEDED") return requests;
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  };
}
