// How often the service is asked: what costs its owner money and the operator goodwill.
import { token } from "../../support/token.mjs";
import { createdTask, listened, request } from "../support/callers.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startGateway } from "../support/workerd.mjs";

export const title = "Calls of the service";
export const deterministic = true;

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
/** At which look a task is over. */
const LOOKS = 3;
const LISTENERS = [1, 100, 1000];
const AT_ONCE = 50;

export async function run() {
  const looks = new Map();
  const upstream = await startUpstream((id, seen) => {
    looks.set(id, seen);
    return seen >= LOOKS;
  });
  const gateway = await startGateway(upstream.url);
  try {
    const creates = await repeatedCreates(gateway.url, upstream);
    const points = await looksOf(gateway.url, upstream, looks);
    const heard = Object.fromEntries(points.map(([listeners, seen]) => [`a task over at look ${LOOKS}, ${listeners} listening`, seen]));
    const rows = { ...creates, ...heard };
    return {
      facts: Object.fromEntries(Object.entries(rows).map(([name, count]) => [`${name}, calls`, count])),
      tables: [{ title: "Requests to the service", columns: ["requests"], rows: Object.fromEntries(Object.entries(rows).map(([name, it]) => [name, [it]])) }],
      plots: [{ title: "Requests to the service against listeners", x: "listeners", y: "requests", log: true, series: [{ name: "requests", points }] }],
    };
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

async function repeatedCreates(url, upstream) {
  const send = (body, key) => fetch(url + CREATE, request(token(), "POST", CREATE, body, { "idempotency-key": key })).then((it) => it.text());
  const during = async (work) => {
    const before = upstream.creates;
    await work();
    return upstream.creates - before;
  };
  const many = (key) => Promise.all(Array.from({ length: AT_ONCE }, () => send({ prompt: "p" }, key)));
  return {
    [`${AT_ONCE} creates with one key at once`]: await during(() => many("one")),
    [`${AT_ONCE} more with that key`]: await during(() => many("one")),
    "a create that is not valid": await during(() => send({ prompt: "" }, "two")),
  };
}

async function looksOf(url, upstream, looks) {
  const listening = [];
  for (const listeners of LISTENERS) {
    // The service numbers its tasks, and the sealed id hides the number.
    const raw = `t-${upstream.creates}`;
    const id = await createdTask(url, "alice");
    const all = Array.from({ length: listeners }, () => listened(url, id));
    listening.push(Promise.all(all).then(() => [listeners, looks.get(raw)]));
  }
  return Promise.all(listening);
}
