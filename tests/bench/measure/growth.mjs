// How costs grow with the input: none may grow faster than linearly.
import { readFile } from "node:fs/promises";
import * as mediagate from "../subjects/mediagate.mjs";
import { stubFetch } from "../subjects/responses.mjs";
import { callers } from "../support/callers.mjs";
import { pdfs } from "../support/inputs.mjs";
import { load } from "../support/load.mjs";
import { takeTurns } from "../support/rounds.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startGateway } from "../support/workerd.mjs";

export const title = "Growth";

const WASM = new URL("../../../pkg/dist/mediagate_bg.wasm", import.meta.url);

export async function run({ quick }) {
  const rounds = quick ? 3 : 10;
  const client = await inClient(rounds);
  const gateway = await inGateway(quick ? 1 : 3);
  const series = [...client, gateway];
  return {
    tables: [table(series)],
    plots: [
      {
        title: "Client: CPU of one call in Node against its input",
        x: "items or bytes",
        y: "µs",
        log: true,
        series: client,
      },
      {
        title: "Gateway: CPU of one create against its body",
        x: "bytes",
        y: "ms",
        log: true,
        series: [gateway],
      },
    ],
  };
}

async function inClient(rounds) {
  const client = await mediagate.open(
    "https://gateway.test",
    await readFile(WASM),
  );
  // Fewer calls for larger inputs, which take longer.
  const measure = async (name, sizes, prepare) => {
    const points = [];
    for (const size of sizes) {
      const { work, restore = () => {} } = prepare(size);
      const calls = Math.max(3, Math.round(20_000 / (size + 100)));
      points.push([size, (await takeTurns({ work }, { rounds, calls })).work]);
      restore();
    }
    return { name, points };
  };
  const stubbed = (response) => (work) => ({
    restore: stubFetch(response),
    work,
  });
  return [
    await measure(
      "validate a list, by items",
      [1, 10, 100, 1000, 10_000],
      (size) => {
        const input = pdfs(size);
        return { work: () => client.validate("merge_pdf", input) };
      },
    ),
    await measure(
      "create, by bytes of the prompt",
      [10, 100, 1000, 10_000, 100_000],
      (size) => {
        const prompt = "p".repeat(size);
        return stubbed()(() => client.create(prompt));
      },
    ),
    await measure(
      "status, by bytes of the record",
      [10, 100, 1000, 10_000, 100_000],
      (size) => {
        const task = {
          id: "t-1",
          status: "PROCESSING",
          note: "n".repeat(size),
        };
        return stubbed(
          JSON.stringify({ code: 0, message: "ok", data: { task } }),
        )(() => client.status());
      },
    ),
  ];
}

async function inGateway(seconds) {
  const upstream = await startUpstream();
  const gateway = await startGateway(upstream.url);
  try {
    const { create } = await callers(gateway.url, 64);
    const points = [];
    await load(gateway, () => create(), 1);
    for (const size of [100, 1000, 10_000, 100_000]) {
      const prompt = "p".repeat(size);
      points.push([
        size,
        (await load(gateway, () => create(prompt), seconds)).cpu,
      ]);
    }
    return {
      name: "create through the gateway, by bytes of the prompt",
      points,
    };
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

/** The exponent of growth at the large end: 1 is linear in the input, 0 does not depend on it. */
function table(series) {
  const exponent = (points) => {
    const [[x1, y1], [x2, y2]] = points.slice(-2);
    return Math.log(y2 / y1) / Math.log(x2 / x1);
  };
  const rows = Object.fromEntries(
    series.map(({ name, points }) => [
      name,
      [points[0][1], points.at(-1)[1], exponent(points)],
    ]),
  );
  return {
    title:
      "Cost at the smallest and at the largest input, and how fast it grows at the large end",
    columns: ["smallest", "largest", "exponent"],
    rows,
    notes: [
      "µs for the client, ms for the gateway; an exponent of 1 is linear growth, more is faster",
    ],
  };
}
