// How a test suite in Node uses the emulator: `node --test crates/emulator/examples/suite.test.mjs`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const program = process.env.MEDIAGATE_EMULATOR ?? fileURLToPath(new URL("../../../target/debug/mediagate-emulator", import.meta.url));
const headers = { authorization: "Bearer emulator-dev-key", "content-type": "application/json" };
let child, service, admin;

before(async () => {
  child = spawn(program, ["--listen", "127.0.0.1:0", "--task-seconds", "0.1"], { stdio: ["ignore", "pipe", "inherit"] });
  // The first two lines of its log say where the service is, and where the admin interface.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  service = JSON.parse((await lines.next()).value).url;
  admin = JSON.parse((await lines.next()).value).url;
  child.stdout.resume();
});

after(async () => {
  child.kill("SIGTERM");
  await once(child, "exit");
});

afterEach(() => fetch(`${admin}/reset`, { method: "POST" }));

/** Changes the scene: what is not named is as at the start. */
async function scene(changes) {
  const answer = await fetch(`${admin}/scene`, { method: "PUT", headers, body: JSON.stringify(changes) });
  assert.equal(answer.status, 200, await answer.text());
}

const draw = () =>
  fetch(`${service}/api/app/v1/generate/image/text_to_image`, {
    method: "POST",
    headers,
    body: JSON.stringify({ prompt: "a lighthouse", width: 64, height: 64 }),
  });

test("we tell our users when the credits are used up", async () => {
  await scene({ credits: 4 });
  assert.equal((await (await draw()).json()).code, 0);
  assert.equal((await (await draw()).json()).code, 1401);
});

test("we get through two bad gateways", async () => {
  await scene({ faults: [{ path: "generate/image/*", do: "html", times: 2 }] });
  const statuses = [];
  for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await draw()).status);
  assert.deepEqual(statuses, [502, 502, 200]);
});
