// Programs of the workspace, compiled by Cargo.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

/**
 * Compiles, and returns the path of the executable of a target.
 *
 * @param {string} target its name
 * @param {string[]} command a command of Cargo
 */
export function executable(target, command) {
  const { stdout, stderr, status } = spawnSync("cargo", [...command, "--message-format=json-render-diagnostics"], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, stderr);
  const messages = stdout.trim().split("\n").map((it) => JSON.parse(it));
  return messages.find((it) => it.target?.name === target && it.executable).executable;
}

/** The path of a program, compiled. */
export const program = (/** @type {string} */ name) => executable(name, ["build", "--package", name]);

/** Compiles the example of a page, with its JavaScript. */
export function buildPage() {
  const options = ["--dev", "--no-pack", "--no-typescript", "--target", "web", "--out-dir", "pkg"];
  const { stderr, status } = spawnSync("wasm-pack", ["build", "examples/page", ...options], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}
