// Measures the CPU time of one call, beside other clients and a hand-written fetch. The network
// responds at once.
import { readFile } from "node:fs/promises";
import { bundle } from "../support/bundle.mjs";
import { CAPABILITY_WITH_MOST_FIELDS, EXAMPLES } from "../support/inputs.mjs";
import { openSite } from "../support/page.mjs";
import { measureAll } from "./cpu-calls.mjs";

export const title = "CPU per call";

const WASM = new URL(
  "../../../pkg/dist/wasm/mediagate_bg.wasm",
  import.meta.url,
);

export async function run({ quick }) {
  const options = {
    ...(quick ? { rounds: 5, calls: 100 } : { rounds: 20, calls: 200 }),
    name: CAPABILITY_WITH_MOST_FIELDS,
    input: EXAMPLES[CAPABILITY_WITH_MOST_FIELDS],
  };
  const wasm = await readFile(WASM);
  // Node reports the CPU time of the whole process; a page has only its clock.
  const node = await measureAll(wasm, {
    ...options,
    clock: () =>
      process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  });
  const browser = await inBrowser(wasm, options);
  return {
    tables: [
      table("Node, µs of CPU time per call", node),
      table("Chromium, µs per call", browser),
    ],
  };
}

async function inBrowser(wasm, options) {
  const site = await openSite({
    "/app.js": await bundle('export * from "./measure/cpu-calls.mjs"'),
    "/client.wasm": wasm,
  });
  try {
    const page = await site.page();
    return await page.evaluate(async (options) => {
      const { measureAll } = await import(/** @type {any} */ ("/app.js"));
      return measureAll(
        await (await fetch("/client.wasm")).arrayBuffer(),
        options,
      );
    }, options);
  } finally {
    await site.stop();
  }
}

function table(title, { create, status, validate, failed }) {
  const names = Object.keys(create);
  const rows = Object.fromEntries(
    names.map((name) => [name, [create[name], status[name], validate[name]]]),
  );
  return {
    title,
    columns: ["create", "status", "validate"],
    rows,
    ratio: { column: 0, to: "fal" },
    notes: failed,
  };
}
