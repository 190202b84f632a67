// The package in Vitest, with the globals of jsdom.
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { TIMEOUT_MS } from "../support/within.mjs";
import { ownTool, run } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite({ browser: false });

test("vitest with jsdom works with no set-up", async (t) => {
  const folder = await suited.project(t, "page", "vitest");
  const gateway = { url: await suited.gateway(), token: token() };
  await writeFile(`${folder}/gateway.json`, JSON.stringify(gateway));
  const options = ["--environment", "jsdom", "--testTimeout", `${TIMEOUT_MS}`];
  await run(ownTool("vitest"), ["run", ...options], folder);
});
