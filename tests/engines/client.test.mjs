// The client's own tests (crates/browser/tests): their runner serves each file as a page, which any browser can open.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { basename, delimiter } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { startEngine } from "../support/engines/index.mjs";
import { freePort } from "../support/port.mjs";

const RUNNER = process.env.CLIENT_TEST_RUNNER ?? ".tools/bin/wasm-bindgen-test-runner";
/** A file may have tests for other targets only. */
const hasTests = (file) => String(execFileSync(RUNNER, [file, "--list"])).includes(": test");
const files = (process.env.CLIENT_TESTS ?? "").split(delimiter).filter(Boolean).filter(hasTests);

let engine;
before(async () => {
  assert.ok(files.length > 0, "CLIENT_TESTS names no file; `cargo xtask test --only engines` sets it");
  engine = await startEngine();
});
after(() => engine?.close());

/** Serves a file of tests on a free port of 127.0.0.1, until the test ends; returns the page's URL. */
async function serve(t, file) {
  const address = `127.0.0.1:${await freePort()}`;
  const env = { ...process.env, NO_HEADLESS: "1", WASM_BINDGEN_TEST_ONLY_WEB: "1", WASM_BINDGEN_TEST_ADDRESS: address };
  const child = spawn(RUNNER, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const failed = ended.then(([code]) => Promise.reject(new Error(`the runner ended with ${code} before it listened`)));
  failed.catch(() => {});
  await Promise.race([listens(child.stdout), failed]);
  return `http://${address}`;
}

/** Waits for the line that names the address. */
async function listens(output) {
  for await (const line of createInterface({ input: output })) {
    if (line.includes("available at")) return void output.resume();
  }
  throw new Error("the runner ended before it listened");
}

/** Runs the tests in a frame: a driver's own timers are in the page around it, since the tests replace the timers. */
function runInFrame() {
  const frame = document.createElement("iframe");
  frame.src = "/";
  document.documentElement.append(frame);
}

/** The output of the tests, once they have ended. */
const outputOf = () => {
  const text = document.querySelector("iframe").contentDocument.getElementById("output").textContent;
  return text.includes("test result: ") && text;
};

for (const file of files) {
  test(basename(file).replace(/-[0-9a-f]+\.wasm$/, ""), async (t) => {
    const page = await engine.open();
    t.after(() => page.close());
    // Any other document of the same origin.
    await page.goto(`${await serve(t, file)}/run.js`);
    await page.evaluate(runInFrame);
    const output = await page.waitFor(outputOf);
    const [, result, passed, failed] = /test result: (\w+)\. (\d+) passed; (\d+) failed/.exec(output);
    assert.deepEqual([result, failed], ["ok", "0"], output);
    assert.ok(Number(passed) > 0, output);
  });
}
