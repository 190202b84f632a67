// Issues of inputs, and decoded responses.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { mediagate, shown } from "./support/client.mjs";

const { decodeEnvelope, load, validate } = mediagate;

await load();

/**
 * The error that decoding a response throws.
 *
 * @returns {any}
 */
function decodingError(...envelope) {
  try {
    decodeEnvelope(...envelope);
  } catch (error) {
    return error;
  }
  return assert.fail(`${shown(envelope)} was decoded`);
}

test("a member named __proto__ is a field that no capability has", () => {
  const input = JSON.parse('{"promtp": "p", "__proto__": {"prompt": 1}}');
  const issues = validate("text_to_image", input).map(
    ({ path, reason, severity }) => [path, reason, severity],
  );
  assert.deepEqual(issues, [
    ["promtp", "unknown_field", "warning"],
    ["prompt", "missing", "error"],
  ]);
});

test("a blob is valid only in the place of a file id", () => {
  const input = {
    file_id: new Blob(["x"], { type: "image/png" }),
    prompt: new Blob(["y"]),
  };
  const issues = validate("image_to_video", input);
  assert.deepEqual(
    issues.map(({ path, reason }) => [path, reason]),
    [["prompt", "wrong_type"]],
  );
});

test("an unknown capability is an error with a remedy", () => {
  for (const name of ["video", "", undefined, 7, {}]) {
    assert.throws(
      () => validate(name, null),
      { code: "invalid_argument", message: /capabilities\(\)/ },
      shown(name),
    );
  }
});

test("every documented code is an error of its name", async () => {
  const text = await readFile(
    new URL("../error.d.ts", import.meta.url),
    "utf8",
  );
  const rows = [...text.matchAll(/^ \* \| `(\w+)` \| (\d+) \|/gm)];
  // Some numbers have several codes, by the status and the reason. The first is that of a status that says nothing.
  const codes = new Map(
    rows.reverse().map(([, name, number]) => [Number(number), name]),
  );
  assert.ok(codes.size >= 13, `the documentation has ${codes.size} numbers`);
  for (const [number, name] of codes) {
    const data = { request_id: "r-1" };
    const text = JSON.stringify({ code: number, message: "", data });
    const error = decodingError(200, text);
    assert.deepEqual(
      [error.code, error.appCode, error.requestId],
      [name, number, "r-1"],
    );
    assert.ok(error.message, `${name} has a message`);
  }
  const error = decodingError(200, '{"code": 7654, "message": "m"}');
  assert.equal(error.code, "unknown");
});

test("a response without an envelope is unreadable", () => {
  for (const text of [
    "",
    "<html>",
    "null",
    "[]",
    "7",
    "{}",
    '{"code":"x"}',
    '{"code":0',
    "\0",
    "[".repeat(100_000),
  ]) {
    const error = decodingError(502, text);
    assert.deepEqual([error.code, error.retryable], ["unreadable", true], text);
  }
  assert.equal(decodingError("200", "{}").code, "invalid_argument");
});

test("a snapshot has the whole record", () => {
  const task = {
    task_id: 12,
    state: "PROCESSING",
    progress: 0.5,
    odd: [1],
    outputs: [],
  };
  const text = JSON.stringify({ code: 0, data: { task } });
  const snapshot = decodeEnvelope(200, text, "split_video");
  assert.deepEqual(
    [snapshot.id, snapshot.state, snapshot.progress],
    ["12", "PROCESSING", 0.5],
  );
  assert.deepEqual(snapshot.raw.odd, [1]);
  assert.deepEqual(snapshot.outputs, []);
});

test("the data of an error is its details only if it is an object", () => {
  for (const data of ["boom", [1], 5]) {
    const text = JSON.stringify({ code: 1, message: "x", data });
    assert.deepEqual(decodingError(400, text).details, {});
  }
});
