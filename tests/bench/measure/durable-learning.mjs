// How late a subscriber receives the end of a task, and the requests that upstream gets for it: before the gateway has
// learned how long such tasks take, and after, compared with clients that poll upstream themselves. Time is not simulated.
import { setTimeout as delay } from "node:timers/promises";
import { createTask, waitOnStream } from "../support/callers.mjs";
import { quantile } from "../support/rounds.mjs";
import { startTimedUpstream } from "../support/timed-upstream.mjs";
import { startGateway } from "../support/workerd.mjs";

/** The kinds of tasks, by the median of their seconds. Each has its own model, since the gateway learns by model. */
const KINDS = { "5 s": 5, "30 s": 30, "2 min": 120 };
/** When each kind begins: the creates of one don't delay those of another, and no task has ended before the last of them. */
const BEGIN_MS = { "5 s": 10_000, "30 s": 5_000, "2 min": 0 };
/** The standard deviation of the logarithm of the seconds. */
const SIGMA = 0.15;
/** The tasks of a kind that a gateway learns from before the others are created. */
const LEARNED = 20;
/** The creates of a group of tasks are spread over so long: no task ends before the last one is created. */
const SPREAD_MS = 3_000;
/** A task whose end is not seen within this time fails the measurement. */
const MAX_DELAY_MS = 60_000;

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const STATUS = "/api/app/v1/generate/tasks/";

/**
 * The same tasks in each way, and all ways and kinds at the same time, with a gateway of its own for what is learned.
 *
 * @param {boolean} quick
 * @param {string} folder for the storage: a slow disk would delay the first polls
 */
export async function measureLearning(quick, folder) {
  const [kinds, count] = quick
    ? [{ "5 s": KINDS["5 s"] }, LEARNED]
    : [KINDS, 60];
  const upstream = await startTimedUpstream();
  const start = () => startGateway(upstream.url, {}, { folder });
  const [cold, learning] = [await start(), await start()];
  const random = generator();
  const measureKind = async ([kind, median]) => {
    const [before, measured] = [LEARNED, count].map((it) =>
      durations(random, median, it),
    );
    if (!quick) await delay(BEGIN_MS[kind]);
    const follow = (seconds, way) =>
      followAll(upstream, { seconds, model: `model-${median}` }, way);
    const learn = async () => {
      await follow(before, subscribe(learning.url));
      return follow(measured, subscribe(learning.url));
    };
    const ways = {
      "polling every 0.5 s": follow(measured, pollEvery(upstream.url, 500)),
      "polling every 5 s": follow(measured, pollEvery(upstream.url, 5000)),
      "event stream, nothing learned": follow(measured, subscribe(cold.url)),
      [`event stream, after ${LEARNED} tasks`]: learn(),
    };
    const seen = await Promise.all(Object.values(ways));
    return Object.keys(ways).map((way, index) => [
      `${kind}, ${way}`,
      summary(seen[index]),
    ]);
  };
  try {
    const rows = await Promise.all(Object.entries(kinds).map(measureKind));
    return {
      title:
        "Delay from the end of a task at the upstream, by the median duration of such tasks",
      columns: ["mean, ms", "p50, ms", "p95, ms", "requests to the upstream"],
      rows: Object.fromEntries(rows.flat()),
      notes: [
        `${count} tasks each, of the same durations in each way: log-normal with σ ${SIGMA}. A record has no progress.`,
        "Requests are the polls of one task, on average.",
      ],
    };
  } finally {
    await Promise.all([cold.stop(), learning.stop(), upstream.stop()]);
  }
}

/**
 * Follows tasks of one model that run for these seconds, all at the same time.
 *
 * @param {{ add: (seconds: number) => import("../support/timed-upstream.mjs").TimedTask }} upstream
 * @param {{ seconds: number[], model: string }} tasks
 * @param {(body: object, signal: AbortSignal) => Promise<unknown>} way creates a task, and waits until it is over
 */
function followAll(upstream, tasks, way) {
  const follow = async (seconds, index, { length }) => {
    // Not at once: what a gateway has learned from the tasks before these is then stored.
    await delay(((index + 1) / length) * SPREAD_MS);
    const task = upstream.add(seconds);
    const signal = AbortSignal.timeout(
      Math.ceil(seconds * 1000 + MAX_DELAY_MS),
    );
    await way({ prompt: task.id, model_id: tasks.model }, signal).catch(
      (error) => {
        if (!signal.aborted) throw error;
        const limit = `within ${MAX_DELAY_MS / 1000} s, with ${task.polls} polls`;
        throw new Error(
          `the end of a task of ${seconds.toFixed(1)} s was not seen ${limit}`,
        );
      },
    );
    return { late: Date.now() - task.endsAt, polls: task.polls };
  };
  return Promise.all(tasks.seconds.map(follow));
}

/** A subscriber of the gateway. */
function subscribe(url) {
  return async (body, signal) =>
    waitOnStream(url, await createTask(url, "alice", body), "alice", signal);
}

/** A client that creates a task at the upstream itself, and polls it at once and then so long after each response. */
function pollEvery(url, milliseconds) {
  return async (body, signal) => {
    const { id } = await readTask(url + CREATE, {
      method: "POST",
      body: JSON.stringify(body),
    });
    while ((await readTask(url + STATUS + id)).status !== "SUCCEEDED") {
      await delay(milliseconds);
      signal.throwIfAborted();
    }
  };
}

async function readTask(url, init = {}) {
  const { data } = await (await fetch(url, init)).json();
  return data.task;
}

function summary(seen) {
  const late = seen.map((it) => it.late);
  const mean = (key) =>
    seen.reduce((sum, it) => sum + it[key], 0) / seen.length;
  return [mean("late"), quantile(late), quantile(late, 0.95), mean("polls")];
}

/** Log-normal durations around a median, in seconds. */
function durations(random, median, count) {
  const normal = () =>
    Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  return Array.from(
    { length: count },
    () => median * Math.exp(SIGMA * normal()),
  );
}

/** Random numbers between 0 and 1, the same in every run: Park and Miller's generator. */
function generator() {
  let state = 20_261_017;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
