// Work that is the same on every machine: steps of the wasm, crossings between it and JavaScript, and requests per call.
import * as mediagate from "../subjects/mediagate.mjs";
import { RESPONSE } from "../subjects/responses.mjs";
import { instrumented } from "../support/counting.mjs";
import { startCounting } from "../support/crossings.mjs";
import {
  CAPABILITY_WITH_MOST_FIELDS,
  EXAMPLES,
  pdfs,
} from "../support/inputs.mjs";

export const title = "Counts";
export const deterministic = true;

export async function run() {
  const counts = startCounting();
  const { fetch } = globalThis;
  let requests = 0;
  globalThis.fetch = async () => {
    requests++;
    return new Response(RESPONSE, {
      headers: { "content-type": "application/json" },
    });
  };
  try {
    const client = await mediagate.open(
      "https://gateway.test",
      await instrumented(),
    );
    const work = {
      create: () => client.create(),
      status: () => client.status(),
      [`validate ${CAPABILITY_WITH_MOST_FIELDS}`]: () =>
        client.validate(
          CAPABILITY_WITH_MOST_FIELDS,
          EXAMPLES[CAPABILITY_WITH_MOST_FIELDS],
        ),
      "validate every capability": () =>
        Object.entries(EXAMPLES).map(([name, input]) =>
          client.validate(name, input),
        ),
      "validate 1,000 files": () => client.validate("merge_pdf", pdfs(1000)),
    };
    const rows = {};
    for (const [name, call] of Object.entries(work)) {
      // A call before, which fills caches.
      await call();
      const before = { ...counts, requests };
      await call();
      rows[name] = [
        counts.steps - before.steps,
        counts.crossings - before.crossings,
        requests - before.requests,
      ];
    }
    const growth = await memoryGrowth(client, counts);
    return {
      facts: {
        ...named(rows),
        "1,000 status reads, growth of wasm memory": growth,
      },
      tables: [table(rows)],
    };
  } finally {
    globalThis.fetch = fetch;
  }
}

/** A leak shows as memory that grows. Creates can't be measured so: each returns a task, which is kept. */
async function memoryGrowth(client, counts) {
  for (let call = 0; call < 100; call++) await client.status();
  const before = counts.memory();
  for (let call = 0; call < 1000; call++) await client.status();
  return counts.memory() - before;
}

const KINDS = ["steps", "crossings", "requests"];

const named = (rows) =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, row]) =>
      KINDS.map((kind, index) => [`${name}, ${kind}`, row[index]]),
    ),
  );

const table = (rows) => ({
  title: "Work of the client for one call",
  columns: KINDS,
  rows,
  notes: [
    "steps: functions entered, turns of loops and returns, in the wasm that ships; crossings: calls between it and JavaScript",
  ],
});
