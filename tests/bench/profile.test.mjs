// How a profile is read: the stacks in perf's output, what each belongs to, and the file for developer tools.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuProfile } from "./profile/cpuprofile.mjs";
import {
  callsOf,
  importsOf,
  modulesOf,
  parseStacks,
  partOf,
} from "./profile/stacks.mjs";

const SCRIPT = `
    7f01 JS:serde_json::ser::format_escaped_str::h3fd2df73dd3a83c3-456-turbofan (/tmp/perf-12.map)
    7f02 JS:mediagate_worker::ids::sealer::Sealer::seal::h64576cc565dd601b-507-liftoff (/tmp/perf-12.map)
    7f03 main (/opt/workerd)

    7f04 sqlite3_step (/opt/workerd)
    7f05 workerd::api::SqlStorage::exec(workerd::jsg::Lock&) (/opt/workerd)
    7f06 JS:+'__wbg_executeSql_47c1a31869299304 index.js:2:14915 (/tmp/perf-12.map)
    7f03 main (/opt/workerd)

    ffff tcp_sendmsg ([kernel.kallsyms])
    ffff sock_write_iter ([kernel.kallsyms])
    7f03 main (/opt/workerd)
`;
const [wasm, sql, kernel] = parseStacks(SCRIPT);

test("a stack has its functions without tiers and hashes, the running one first", () => {
  assert.deepEqual(
    wasm.map((it) => it.name),
    [
      "JS:serde_json::ser::format_escaped_str-wasm",
      "JS:mediagate_worker::ids::sealer::Sealer::seal-wasm",
      "main",
    ],
  );
  assert.equal(parseStacks(SCRIPT).length, 3);
});

test("a stack belongs to the part of the process that runs", () => {
  assert.deepEqual([wasm, sql, kernel].map(partOf), [
    "wasm",
    "SQLite",
    "kernel",
  ]);
  const running = (name, file = "/opt/workerd") => partOf([{ name, file }]);
  assert.equal(
    running("JS:head index.js:1:119", "/tmp/perf-12.map"),
    "JavaScript",
  );
  assert.equal(
    running("JS:wasm-to-js-<anonymous>-none", "/tmp/perf-12.map"),
    "between wasm and JavaScript",
  );
  assert.equal(
    running("v8::internal::Heap::CollectGarbage"),
    "V8's garbage collection",
  );
  assert.equal(running("v8::internal::LookupIterator::Start"), "V8");
  assert.equal(running("kj::EventLoop::turn"), "event loop and HTTP (kj)");
  assert.equal(running("__memmove_avx", "/lib/libc.so.6"), "other");
});

test("a stack counts for every call that it is in, and only wasm for a module", () => {
  assert.deepEqual(callsOf(sql), ["SQL statements"]);
  assert.deepEqual(callsOf(kernel), ["writes to sockets"]);
  assert.deepEqual(importsOf(sql), ["executeSql"]);
  assert.deepEqual(modulesOf(wasm), ["mediagate_worker::ids::sealer"]);
  assert.deepEqual(
    [callsOf(wasm), importsOf(wasm), modulesOf(sql)],
    [[], [], []],
  );
});

test("the file for developer tools has every stack once, and shared callers once", () => {
  const { nodes, samples, timeDeltas, endTime } = cpuProfile(
    [wasm, sql, sql],
    1000,
  );
  const named = Object.fromEntries(
    nodes.map((it) => [it.callFrame.functionName, it]),
  );
  assert.equal(nodes.length, 1 + 3 + 3);
  assert.deepEqual(named.main.children.length, 2);
  assert.deepEqual(samples, [
    named["JS:serde_json::ser::format_escaped_str-wasm"].id,
    ...Array(2).fill(named.sqlite3_step.id),
  ]);
  assert.deepEqual([timeDeltas, endTime], [[1000, 1000, 1000], 3000]);
});
