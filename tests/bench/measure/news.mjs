// Measures how soon a caller notices that a task has ended: by the gateway's stream, by the client,
// and by polling.
import { connect } from "mediagate";
import { token } from "../../support/token.mjs";
import { createTask, request, waitOnStream } from "../support/callers.mjs";
import { quantile } from "../support/rounds.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startGateway } from "../support/workerd.mjs";

export const title = "News of a task's end";

const CAPABILITY = "text_to_image_turbo";

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const updates = await measureUpdates(...(quick ? [6, 3] : [24, 8]));
  return { tables: [updates] };
}

/**
 * Measures the delay of each way of waiting after the end of a task, and the requests that it
 * takes.
 */
async function measureUpdates(count, seconds) {
  const ends = new Map();
  const polls = new Map();
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
  const late = seen.map((entry) => entry.late);
  const mean = (key) =>
    seen.reduce((sum, entry) => sum + entry[key], 0) / seen.length;
  return [quantile(late), quantile(late, 0.9), mean("requests"), mean("polls")];
}

// The ways of waiting. Each waits until the task has ended, and returns the number of its requests.

async function follow(url, id) {
  let requests = 0;
  const countingFetch = (url, init) => {
    requests++;
    return fetch(url, init);
  };
  const media = await connect({ url, token: token(), fetch: countingFetch });
  await media.tasks.restore({ id, capability: CAPABILITY }).done();
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
