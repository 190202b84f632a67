// The typed functions of the wasm, without the package around them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Instance, Platform } from "../dist/platform.js";
import * as wasm from "../dist/wasm/mediagate.js";
import { failure, timers } from "./support/client.mjs";

before(async () => {
  const file = new URL("../dist/wasm/mediagate_bg.wasm", import.meta.url);
  wasm.initSync({ module: await readFile(file) });
});

/** Makes a client of a gateway that never responds, and counts its requests. */
function client(instance = new Instance(wasm)) {
  const seen = { requests: 0 };
  const fetch = () => {
    seen.requests += 1;
    return new Promise(() => {});
  };
  const platform = new Platform(instance, { fetch });
  return {
    seen,
    instance,
    client: new wasm.Client(platform, "https://gateway.test", "t", undefined),
  };
}

/** Makes the wasm panic: the platform reads the snapshot while it is being made. */
function panic() {
  const snapshot = () => task.snapshot;
  const platform = /** @type {any} */ ({ snapshot });
  const broken = new wasm.Client(
    platform,
    "https://gateway.test",
    "t",
    undefined,
  );
  const task = broken.task("k", "split_video");
  assert.throws(() => task.snapshot, WebAssembly.RuntimeError);
}

test("fake timers that hold microtasks back delay no call", async (t) => {
  t.mock.method(globalThis, "queueMicrotask", () => {});
  const { seen, instance, client: own } = client();
  const controller = new AbortController();
  const { signal } = controller;
  const call = instance.call({ signal }, (limits) => own.models(limits));
  await pause(0);
  assert.equal(seen.requests, 1);
  controller.abort();
  assert.equal((await failure(call)).code, "aborted");
});

test("a wait that is longer than the platform's longest does not end at once", async () => {
  const before = timers();
  const platform = new Platform(new Instance(wasm));
  const { done, abort } = platform.sleep(2 ** 31, "");
  const first = await Promise.race([
    done,
    new Promise((resolve) => setTimeout(resolve, 50, "waiting")),
  ]);
  assert.equal(first, "waiting");
  abort();
  await done;
  assert.equal(timers(), before);
});

test("a panic rejects the calls of each instance, and new ones work after a restart", async () => {
  const clients = [client(), client()];
  const calls = clients.map(({ instance, client: own }) =>
    failure(instance.call({}, (limits) => own.models(limits))),
  );
  panic();
  const errors = await Promise.all(calls);
  assert.deepEqual(
    errors.map((error) => error.code),
    ["crashed", "crashed"],
  );
  assert.deepEqual(
    clients.map(({ seen }) => seen.requests),
    [0, 0],
  );
  wasm.restart();
  wasm.afterRestart();
  const platform = new Platform(new Instance(wasm));
  /** @type {any[]} */
  const issues = wasm.validate(platform, "text_to_image", {});
  assert.deepEqual(
    issues.map((issue) => issue.path),
    ["prompt"],
  );
});
