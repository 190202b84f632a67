// A client and a gateway of two builds: pages that were loaded before a deployment, and apps that update later or earlier
// than their gateway.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEmulator } from "../support/emulator.mjs";
import { picture } from "../support/fixtures.mjs";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { gatewayOf, installClient, objectsOf, PAIRS } from "./builds.mjs";

const JOURNEY = fileURLToPath(new URL("journey.js", import.meta.url));
const caller = token();
const env = { ...process.env, PICTURE: picture(8, 8).toString("base64") };

let emulator;
let root;
before(async () => {
  emulator = await startEmulator(["--task-seconds", "0.5"]);
  root = await mkdtemp(join(tmpdir(), "mediagate-upgrades-"));
});
after(async () => {
  await emulator?.stop();
  await rm(root, { recursive: true, force: true });
});

/** Starts a build's gateway before the emulator. */
async function start(t, build) {
  const settings = { UPSTREAM_BASE_URL: emulator.url, UPLOAD_HOSTS: "127.0.0.1" };
  const gateway = await startGateway(settings, { build: gatewayOf(build), objects: objectsOf(build) });
  t.after(gateway.stop);
  return gateway;
}

/** Runs the journey with a build's client, as it is packed for npm. */
async function journey(build, url, ...more) {
  const folder = join(root, build);
  installClient(build, folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await copyFile(JOURNEY, join(folder, "journey.js"));
  const { stdout } = await promisify(execFile)("node", ["journey.js", url, caller, ...more], { cwd: folder, env });
  return JSON.parse(stdout);
}

/** What every pair has to see. */
const EXPECTED = {
  isSame: true,
  last: ["SUCCEEDED", 1],
  type: "image/png",
  refused: { code: "insufficient_credits", appCode: 1401, status: 402, outcome: "rejected" },
  unknown: { code: "server_error", appCode: 99, status: 502, outcome: "unknown" },
  invalid: { code: "invalid_input", appCode: 12, outcome: "not_sent" },
  foreign: { code: "invalid_input", appCode: 12, status: 404 },
};

for (const [client, gateway] of PAIRS) {
  test(`the ${client} client with the ${gateway} gateway`, async (t) => {
    const { url } = await start(t, gateway);
    const { saved, ...seen } = await journey(client, url);
    assert.deepEqual(seen, EXPECTED);
    // A task that one version saved is restored by the other.
    const [other] = PAIRS.find(([it]) => it !== client) ?? [];
    assert.deepEqual(await journey(other, url, JSON.stringify(saved)), { state: "SUCCEEDED", outputs: 1 });
  });
}
