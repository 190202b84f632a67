// The official conformance suite, for both protocol versions. `../conformance/expected-*.yml` lists
// the checks that the gateway is expected to fail, each with its reason. No other check may fail,
// and every listed one must.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { folder } from "../../support/folder.mjs";
import { startStack } from "../../support/stack.mjs";
import { token } from "../../support/token.mjs";
import { startProxy } from "../support/proxy.mjs";

const suite = fileURLToPath(new URL("../conformance/", import.meta.url));
const SUITE = `${suite}node_modules/@modelcontextprotocol/conformance/dist/index.js`;

/**
 * Returns the path of a Node from version 22 on, which the suite needs: this one if it is new
 * enough, or the one in the suite's lock file.
 */
function newerNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22)
    return process.execPath;
  const platform = process.platform.replace("win32", "win");
  const locked = `${suite}node_modules/node-${platform}-${process.arch}/bin/node`;
  if (!existsSync(locked))
    throw new Error(
      "the conformance suite needs Node 22: run the tests with it",
    );
  return locked;
}

const createImage = (title) => [
  "mediagate_text_to_image_turbo",
  { prompt: "a lighthouse", title: `emulate: ${title}` },
];
const listOptions = () => ["mediagate_list_options", {}];
/**
 * The gateway's tools that replace the suite's own, by the name of the suite's tool.
 *
 * @type {Record<string, (input: any) => any[]>}
 */
const STAND_INS = {
  test_simple_text: listOptions,
  test_logging_tool: listOptions,
  test_error_handling: () => ["mediagate_text_to_image_turbo", {}],
  test_tool_with_progress: () => createImage("seconds=4"),
  greet: listOptions,
  // Tasks can't be cancelled, so the task does not take as long as the suite requests.
  slow_compute: ({ seconds = 1 }) =>
    createImage(`seconds=${Math.min(seconds, 1)}`),
  failing_job: () => createImage("state=FAILED seconds=1"),
};

let stack, proxy;
before(async () => {
  const start = async (url) =>
    (stack = await startStack({
      assets: false,
      settings: { ALLOWED_ORIGINS: url },
    }));
  proxy = await startProxy(start, token, STAND_INS);
});
after(() => Promise.all([proxy?.stop(), stack?.stop()]));

/** Reads the checks that are expected to fail. Each line of the file has a check and its reason. */
async function expected(file) {
  const lines = (await readFile(file, "utf8"))
    .split("\n")
    .filter((line) => line.startsWith("  - "));
  return lines.map((line) => {
    const [, name, reason] = /^ {2}- ([\w:.-]+) # (.+)$/.exec(line) ?? [];
    assert.ok(reason, `${line}: give its reason`);
    return name;
  });
}

/** Returns `scenario:check` for each check that failed or gave a warning, scored or not. */
async function failures(results) {
  const failed = [];
  for (const scenario of await readdir(results)) {
    const checks = JSON.parse(
      await readFile(join(results, scenario, "checks.json"), "utf8"),
    );
    const name = scenario
      .replace(/^server-/, "")
      .replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    failed.push(
      ...checks
        .filter((check) => ["FAILURE", "WARNING"].includes(check.status))
        .map((check) => `${name}:${check.id}`),
    );
  }
  return [...new Set(failed)];
}

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`the official suite passes, ${revision}`, async (t) => {
    const file = `${suite}expected-${revision}.yml`;
    const results = await folder(t);
    const args = [
      ...[SUITE, "server", "--url", `${proxy.url}/mcp`],
      ...["--requirements", revision, "--expected-failures", file],
      ...["--output-dir", results],
    ];
    const { code, stdout } = await new Promise((done) => {
      execFile(newerNode(), args, { maxBuffer: 1 << 26 }, (error, stdout) =>
        done({ code: error?.code ?? 0, stdout }),
      );
    });
    assert.deepEqual(
      (await failures(results)).sort(),
      (await expected(file)).sort(),
    );
    assert.equal(code, 0, stdout.slice(stdout.indexOf("=== SUMMARY")));
  });
}
