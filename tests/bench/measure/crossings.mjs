// Calls between wasm and JavaScript that a request to the gateway takes.
import { callers } from "../support/callers.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startCountedGateway } from "../support/workerd.mjs";

export const title = "Crossings in the gateway";
export const deterministic = true;

/** The first requests also fill caches and compile statements. */
const WARM_UP = 5;
const REQUESTS = 20;

export async function run() {
  const upstream = await startUpstream();
  const gateway = await startCountedGateway(upstream.url);
  try {
    const requests = await callers(gateway.url, 1);
    const rows = {};
    const facts = {};
    for (const kind of ["status", "create"]) {
      const { crossings, strings } = await counts(gateway.url, requests[kind]);
      rows[kind] = [crossings, strings];
      facts[`gateway: ${kind}, crossings`] = crossings;
      facts[`gateway: ${kind}, strings`] = strings;
    }
    const title =
      "Calls between wasm and JavaScript, and strings that JavaScript decodes, for one request";
    return {
      facts,
      tables: [{ title, columns: ["crossings", "strings"], rows }],
    };
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}

/** What each of several requests, one after the other, takes; the fewest, since a timer may fire in between. */
async function counts(url, next) {
  const soFar = async () => (await fetch(`${url}/counts`)).json();
  const seen = [];
  for (let index = 0; index < WARM_UP + REQUESTS; index++) {
    const { path, ...init } = next();
    const before = await soFar();
    const response = await fetch(url + path, init);
    await response.arrayBuffer();
    if (!response.ok)
      throw new Error(`the gateway responded with ${response.status}`);
    const after = await soFar();
    seen.push({
      crossings: after.crossings - before.crossings,
      strings: after.strings - before.strings,
    });
  }
  const least = (name) =>
    Math.min(...seen.slice(WARM_UP).map((it) => it[name]));
  return { crossings: least("crossings"), strings: least("strings") };
}
