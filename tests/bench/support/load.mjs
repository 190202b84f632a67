// Puts load on a Worker, and measures requests per second, latency, and the process's CPU time.
import autocannon from "autocannon";
import { cpuMs } from "./process.mjs";
import { quantile } from "./rounds.mjs";

const CONNECTIONS = 16;

/**
 * Sends requests for `seconds`.
 *
 * @param {{ url: string, pid: number }} worker
 * @param {() => object} next returns the next request
 * @param {number} seconds
 * @returns {Promise<{ rps: number, p50: number, p99: number, cpu: number }>} `p50` and `p99` are
 *   latencies and `cpu` is CPU time per request, in milliseconds
 */
export async function load(worker, next, seconds) {
  const before = cpuMs(worker.pid);
  const requests = [{ setupRequest: (request) => ({ ...request, ...next() }) }];
  const run = autocannon({
    url: worker.url,
    connections: CONNECTIONS,
    duration: seconds,
    requests,
  });
  const latencies = [];
  /** @type {any} */ (run).on(
    "response",
    (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds),
  );
  const { non2xx, errors, duration } = await run;
  if (non2xx + errors > 0)
    throw new Error(
      `${non2xx + errors} of ${latencies.length} requests failed; a load of refusals measures nothing`,
    );
  return {
    rps: latencies.length / duration,
    p50: quantile(latencies),
    p99: quantile(latencies, 0.99),
    cpu: (cpuMs(worker.pid) - before) / latencies.length,
  };
}

/**
 * Puts load on several Workers, in alternating rounds.
 *
 * @param {Record<string, { worker: { url: string, pid: number }, next: () => object }>} subjects
 * @returns {Promise<Record<string, number[]>>} the medians over the rounds of requests per second,
 *   p50, p99 and CPU time
 */
export async function loadAll(subjects, { rounds, seconds }) {
  const seen = Object.fromEntries(
    Object.keys(subjects).map((name) => [name, []]),
  );
  // The first, short round warms up.
  for (const { worker, next } of Object.values(subjects))
    await load(worker, next, 1);
  for (let round = 0; round < rounds; round++) {
    for (const [name, { worker, next }] of Object.entries(subjects))
      seen[name].push(await load(worker, next, seconds));
  }
  const median = (all, key) => quantile(all.map((round) => round[key]));
  return Object.fromEntries(
    Object.entries(seen).map(([name, all]) => [
      name,
      ["rps", "p50", "p99", "cpu"].map((key) => median(all, key)),
    ]),
  );
}
