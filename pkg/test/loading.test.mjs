// The limits of calls that wait for the WebAssembly. The source arrives when the test passes it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as slim from "../dist/slim.js";
import { failure, timers } from "./support/client.mjs";

const FILE = new URL("../dist/wasm/mediagate_bg.wasm", import.meta.url);
const connection = { url: "https://gateway.test", token: "t" };

test("a signal and a timeout end a wait for the WebAssembly, and the load goes on", async () => {
  const before = timers();
  /** @type {(bytes: Uint8Array<ArrayBuffer>) => void} */
  let arrive = () => {};
  const source = new Promise((resolve) => {
    arrive = resolve;
  });
  const body = JSON.stringify({ code: 0, data: { a: 1 } });
  const calls = /** @type {((limits: any) => Promise<unknown>)[]} */ ([
    (limits) => slim.load(source, limits),
    (limits) => slim.connect({ ...connection, ...limits }),
    (limits) => slim.validate("text_to_image", {}, limits),
    (limits) => slim.decodeEnvelope(200, body, undefined, limits),
  ]);
  for (const call of calls) {
    assert.equal((await failure(call({ timeout: 20 }))).code, "timeout");
    const controller = new AbortController();
    const ended = failure(call({ signal: controller.signal, timeout: 60_000 }));
    controller.abort("enough");
    const { code, cause } = await ended;
    assert.deepEqual([code, cause], ["aborted", "enough"]);
    for (const [limits, option] of /** @type {[any, string][]} */ ([
      [{ timeout: 0 }, "timeout"],
      [{ signal: {} }, "signal"],
    ])) {
      const error = await failure(call(limits));
      assert.equal(error.code, "invalid_argument");
      assert.ok(error.message.includes(option), error.message);
    }
  }
  assert.equal(timers(), before);
  arrive(await readFile(FILE));
  const [, connected, issues, data] = await Promise.all(
    calls.map((call) => call({ timeout: 60_000 })),
  );
  assert.ok(connected);
  assert.ok(Array.isArray(issues) && issues.length > 0);
  assert.deepEqual(data, { a: 1 });
  assert.equal(timers(), before);
});

test("the loader of the glue says what it needs if it has no source", async () => {
  // An instance of its own, which nobody has loaded.
  const glue = "../dist/wasm/mediagate.js?without-source";
  const { default: init } = await import(glue);
  await assert.rejects(
    init(),
    /^TypeError: init needs the source of the WebAssembly/,
  );
});
