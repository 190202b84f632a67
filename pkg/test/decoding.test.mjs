// Checked inputs and decoded responses.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { failure, mediagate, shown } from "./support/client.mjs";

const { decodeEnvelope, validate } = mediagate;

const decodingError = (...envelope) => failure(decodeEnvelope(...envelope));

test("a member named __proto__ is a field that no capability has", async () => {
  const input = JSON.parse('{"promtp": "p", "__proto__": {"prompt": 1}}');
  const issues = await validate("text_to_image", input);
  const shown = issues.map(({ path, reason, severity }) => [
    path,
    reason,
    severity,
  ]);
  assert.deepEqual(shown, [
    ["promtp", "unknown_field", "warning"],
    ["prompt", "missing", "error"],
  ]);
});

test("an unknown capability is an error with a remedy", async () => {
  for (const name of ["video", "", undefined, 7, {}]) {
    await assert.rejects(
      validate(name, null),
      { code: "invalid_argument", hint: /capabilities\(\)/ },
      shown(name),
    );
  }
});

test("every documented code is an error of its name", async () => {
  const text = await readFile(
    new URL("../src/error.ts", import.meta.url),
    "utf8",
  );
  const rows = [...text.matchAll(/^ \* \| `(\w+)` \| (\d+) \|/gm)];
  // Some numbers have several codes, by the status and the reason. The first one is for a status
  // without a meaning.
  const codes = new Map(
    rows.reverse().map(([, name, number]) => [Number(number), name]),
  );
  assert.ok(codes.size >= 13, `the documentation has ${codes.size} numbers`);
  for (const [number, name] of codes) {
    const data = { request_id: "r-1" };
    const text = JSON.stringify({ code: number, message: "", data });
    const error = await decodingError(200, text);
    assert.deepEqual(
      [error.code, error.appCode, error.requestId],
      [name, number, "r-1"],
    );
    assert.ok(error.message, `${name} has a message`);
  }
  const error = await decodingError(200, '{"code": 7654, "message": "m"}');
  assert.equal(error.code, "unknown");
});

test("a response without an envelope is unreadable", async () => {
  for (const text of ["", "<html>", "{}", "[".repeat(100_000)]) {
    const error = await decodingError(502, text);
    assert.deepEqual([error.code, error.retryable], ["unreadable", true], text);
  }
  assert.equal((await decodingError("200", "{}")).code, "invalid_argument");
});

test("a snapshot has the whole record", async () => {
  const task = {
    task_id: 12,
    state: "PROCESSING",
    progress: 0.5,
    odd: [1],
    outputs: [],
  };
  const text = JSON.stringify({ code: 0, data: { task } });
  const snapshot = await decodeEnvelope(200, text, "split_video");
  assert.deepEqual(
    [snapshot.id, snapshot.state, snapshot.progress],
    ["12", "PROCESSING", 0.5],
  );
  assert.deepEqual(snapshot.raw.odd, [1]);
  assert.deepEqual(snapshot.outputs, []);
});

test("a snapshot has the error of its record, unless that is of another kind", async () => {
  for (const [error, shown] of [
    [
      { message: "no light", code: 7 },
      { message: "no light", code: 7 },
    ],
    ["no light", undefined],
  ]) {
    const task = { id: "k", state: "FAILED", error };
    const text = JSON.stringify({ code: 0, message: "ok", data: { task } });
    const snapshot = await mediagate.decodeEnvelope(200, text, "split_pdf");
    assert.deepEqual(snapshot.error, shown);
  }
});

test("the data of an error is its details only if it is an object", async () => {
  for (const data of ["boom", [1], 5]) {
    const text = JSON.stringify({ code: 1, message: "x", data });
    assert.deepEqual((await decodingError(400, text)).details, {});
  }
});

test("a snapshot has the model and the price of its record, if they are of their types", async () => {
  for (const [members, shown] of [
    [{ model_id: "fast-1", credits: 2.5 }, ["fast-1", 2.5]],
    [{ model_id: 7, credits: "2", model: "label" }, [undefined, undefined]],
    [{ model_id: null, credits: null }, [undefined, undefined]],
    [{}, [undefined, undefined]],
  ]) {
    const task = { id: "k", state: "QUEUED", ...members };
    const text = JSON.stringify({ code: 0, message: "ok", data: { task } });
    const snapshot = await decodeEnvelope(200, text, "split_pdf");
    assert.deepEqual([snapshot.model, snapshot.credits], shown);
  }
});
