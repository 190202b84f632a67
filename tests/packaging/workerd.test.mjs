// In a Cloudflare Worker: bundled by wrangler as for a deployment, run by workerd.
import { test } from "node:test";
import { Miniflare } from "miniflare";
import { token } from "../support/token.mjs";
import { run, tool } from "./support/install.mjs";
import { suite, works } from "./support/suite.mjs";

const suited = suite({ browser: false });

for (const path of ["/", "/inline"]) {
  test(`a Worker imports it with no set-up (${path})`, async (t) => {
    const folder = await suited.project(t, "page", "workerd");
    await run(tool("wrangler"), ["deploy", "--dry-run", "--outdir", "out"], folder);
    const worker = new Miniflare({
      host: "127.0.0.1",
      rootPath: `${folder}/out`,
      scriptPath: "main.js",
      modules: true,
      modulesRules: [
        { type: "ESModule", include: ["**/*.js"] },
        { type: "CompiledWasm", include: ["**/*.wasm"] },
      ],
      compatibilityDate: "2026-04-01",
      cf: false,
    });
    t.after(() => worker.dispose());
    const url = new URL(path, await worker.ready);
    url.searchParams.set("gateway", await suited.gateway(t));
    url.searchParams.set("token", token());
    works(await (await fetch(url)).json());
  });
}
