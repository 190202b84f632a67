// An example of a test suite in Node that uses the emulator:
// `node --test crates/emulator/examples/suite.test.mjs`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const program =
  process.env.MEDIAGATE_EMULATOR ??
  fileURLToPath(
    new URL("../../../target/debug/mediagate-emulator", import.meta.url),
  );
const headers = {
  authorization: "Bearer emulator-dev-key",
  "content-type": "application/json",
};
let child, upstream, admin;

before(async () => {
  child = spawn(program, ["--listen", "127.0.0.1:0", "--task-seconds", "0.1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  // The first two lines of its log are the URLs of the emulator and of its admin interface.
  const lines = createInterface({ input: child.stdout })[
    Symbol.asyncIterator
  ]();
  upstream = JSON.parse((await lines.next()).value).url;
  admin = JSON.parse((await lines.next()).value).url;
  child.stdout.resume();
});

after(async () => {
  child.kill("SIGTERM");
  await once(child, "exit");
});

afterEach(() => fetch(`${admin}/reset`, { method: "POST" }));

/** Sets the scene: members that are absent are as at the start. */
async function setScene(changes) {
  const response = await fetch(`${admin}/scene`, {
    method: "PUT",
    headers,
    body: JSON.stringify(changes),
  });
  assert.equal(response.status, 200, await response.text());
}

const draw = () =>
  fetch(`${upstream}/api/app/v1/generate/image/text_to_image`, {
    method: "POST",
    headers,
    body: JSON.stringify({ prompt: "a lighthouse", width: 64, height: 64 }),
  });

test("a create fails when the credits are used up", async () => {
  await setScene({ credits: 4 });
  assert.equal((await (await draw()).json()).code, 0);
  assert.equal((await (await draw()).json()).code, 1401);
});

test("two bad gateways, then a success", async () => {
  await setScene({
    faults: [{ path: "generate/image/*", do: "html", times: 2 }],
  });
  const statuses = [];
  for (let attempt = 0; attempt < 3; attempt += 1)
    statuses.push((await draw()).status);
  assert.deepEqual(statuses, [502, 502, 200]);
});
