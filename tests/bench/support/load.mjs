// Load on a Worker, and what it cost: requests a second, how long they took, and the process's CPU time.
import autocannon from "autocannon";
import { cpuMs } from "./process.mjs";
import { quantile } from "./rounds.mjs";

const CONNECTIONS = 16;

/**
 * Sends requests for a while.
 *
 * @param {{ url: string, pid: number }} worker
 * @param {() => object} next gives the next request
 * @returns {Promise<{ rps: number, p50: number, p99: number, cpu: number }>} milliseconds; `cpu` of one request
 */
export async function load(worker, next, seconds) {
  const before = cpuMs(worker.pid);
  const requests = [{ setupRequest: (request) => ({ ...request, ...next() }) }];
  const run = autocannon({ url: worker.url, connections: CONNECTIONS, duration: seconds, requests });
  const took = [];
  run.on("response", (_, status, __, milliseconds) => took.push(milliseconds));
  const { non2xx, errors, duration } = await run;
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of ${took.length} requests failed; a load of refusals measures nothing`);
  return { rps: took.length / duration, p50: quantile(took), p99: quantile(took, 0.99), cpu: (cpuMs(worker.pid) - before) / took.length };
}

/**
 * Load on several Workers in rounds that take turns.
 *
 * @param {Record<string, { worker: object, next: () => object }>} subjects
 * @returns {Promise<Record<string, number[]>>} requests a second, p50, p99 and CPU of the middle round of each
 */
export async function loadAll(subjects, { rounds, seconds }) {
  const seen = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  // The first, short round warms up.
  for (const { worker, next } of Object.values(subjects)) await load(worker, next, 1);
  for (let round = 0; round < rounds; round++) {
    for (const [name, { worker, next }] of Object.entries(subjects)) seen[name].push(await load(worker, next, seconds));
  }
  const middle = (all, key) => quantile(all.map((it) => it[key]));
  return Object.fromEntries(Object.entries(seen).map(([name, all]) => [name, ["rps", "p50", "p99", "cpu"].map((key) => middle(all, key))]));
}
