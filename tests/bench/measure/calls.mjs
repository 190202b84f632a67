// Counts the requests that reach the upstream: creates cost money, and polls count against its rate
// limits.
import { token } from "../../support/token.mjs";
import { createTask, request, waitOnStream } from "../support/callers.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startGateway } from "../support/workerd.mjs";

export const title = "Requests to the upstream";
export const deterministic = true;

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
/** The number of the poll at which a task has ended. */
const POLLS = 3;
const SUBSCRIBERS = [1, 100];
const AT_ONCE = 50;

export async function run() {
  const polls = new Map();
  const upstream = await startUpstream((id, count) => {
    polls.set(id, count);
    return count >= POLLS;
  });
  const gateway = await startGateway(upstream.url);
  try {
    const creates = await repeatedCreates(gateway.url, upstream);
    const points = await countPolls(gateway.url, upstream, polls);
    const polled = Object.fromEntries(
      points.map(([subscribers, count]) => [
        `a task over at poll ${POLLS}, ${subscribers} subscribed`,
        count,
      ]),
    );
    const rows = { ...creates, ...polled };
    return {
      facts: Object.fromEntries(
        Object.entries(rows).map(([name, count]) => [`${name}, calls`, count]),
      ),
      tables: [
        {
          title: "Requests to the upstream",
          columns: ["requests"],
          rows: Object.fromEntries(
            Object.entries(rows).map(([name, value]) => [name, [value]]),
          ),
        },
      ],
    };
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

async function repeatedCreates(url, upstream) {
  const send = (body, key) =>
    fetch(
      url + CREATE,
      request(token(), "POST", CREATE, body, { "idempotency-key": key }),
    ).then((response) => response.text());
  const during = async (work) => {
    const before = upstream.creates;
    await work();
    return upstream.creates - before;
  };
  const many = (key) =>
    Promise.all(
      Array.from({ length: AT_ONCE }, () => send({ prompt: "p" }, key)),
    );
  return {
    [`${AT_ONCE} creates with one key at once`]: await during(() =>
      many("one"),
    ),
    [`${AT_ONCE} more with that key`]: await during(() => many("one")),
    "a create that is not valid": await during(() =>
      send({ prompt: 7 }, "two"),
    ),
  };
}

async function countPolls(url, upstream, polls) {
  const waiting = [];
  for (const subscribers of SUBSCRIBERS) {
    // The upstream numbers its tasks; the sealed id hides the number.
    const raw = `t-${upstream.creates}`;
    const id = await createTask(url, "alice");
    const all = Array.from({ length: subscribers }, () =>
      waitOnStream(url, id),
    );
    waiting.push(Promise.all(all).then(() => [subscribers, polls.get(raw)]));
  }
  return Promise.all(waiting);
}
