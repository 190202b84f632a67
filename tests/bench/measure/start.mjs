// Measures the time from the import to a client that is ready, in a new browser, and with the files
// in the browser's cache.
import { readFile } from "node:fs/promises";
import { bundle } from "../support/bundle.mjs";
import { openSite } from "../support/page.mjs";
import { quantile } from "../support/rounds.mjs";

export const title = "Start";

// The code is loaded on demand, as in an app. `open` of each module is the set-up before the first
// call.
const APPS = {
  mediagate:
    'import { connect } from "mediagate"; ' +
    'export const open = () => connect({ url: "https://gateway.test", token: "t" });',
  fal: 'export { open } from "./subjects/fal.mjs";',
  replicate: 'export { open } from "./subjects/replicate.mjs";',
};

export async function run({ quick }) {
  const files = {
    "/wasm/mediagate_bg.wasm": await readFile(
      new URL("../../../pkg/dist/wasm/mediagate_bg.wasm", import.meta.url),
    ),
  };
  for (const [name, code] of Object.entries(APPS))
    files[`/${name}.js`] = await bundle(code);
  const site = await openSite(files, undefined, { cache: true });
  try {
    const names = Object.keys(APPS);
    const seen = Object.fromEntries(
      names.map((name) => [name, { cold: [], cached: [] }]),
    );
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      for (const name of names) {
        // A context has its own cache, which is empty for its first page.
        const context = await site.browser.newContext();
        seen[name].cold.push(await timeToOpen(site, context, name));
        seen[name].cached.push(await timeToOpen(site, context, name));
        await context.close();
      }
    }
    const rows = Object.fromEntries(
      names.map((name) => [
        name,
        [quantile(seen[name].cold), quantile(seen[name].cached)],
      ]),
    );
    return {
      tables: [
        {
          title:
            "From import to a client that is ready, in Chromium, milliseconds",
          columns: ["cold", "from cache"],
          rows,
          ratio: { column: 0, to: "fal" },
        },
      ],
    };
  } finally {
    await site.stop();
  }
}

async function timeToOpen(site, context, name) {
  const page = await site.page(context);
  const took = await page.evaluate(async (file) => {
    const start = performance.now();
    const { open } = await import(file);
    await open("https://gateway.test");
    return performance.now() - start;
  }, `/${name}.js`);
  await page.close();
  return took;
}
