// Compiles the tests of the client for Rust on a page.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

const BUILD = [
  "test",
  "-p",
  "mediagate",
  "--target",
  "wasm32-unknown-unknown",
  "--test",
  "web",
  "--no-run",
];

/** Compiles the tests. Returns the path of their wasm. */
export function buildWebTests() {
  const { stdout, stderr, status } = spawnSync(
    "cargo",
    [...BUILD, "--message-format=json-render-diagnostics"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  assert.equal(status, 0, stderr);
  const messages = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return messages.find(
    (message) => message.target?.name === "web" && message.executable,
  ).executable;
}
