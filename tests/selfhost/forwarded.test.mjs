// The sender of a request, by the connection and the headers of a trusted proxy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findSender } from "../../gateway/src/worker/forwarded.js";

/** Returns the address and the scheme for these headers. */
function of(peer, proxies, headers = {}) {
  const { address, scheme } = findSender(new Headers(headers), peer, proxies);
  return [address, scheme];
}

test("without a trusted proxy, the connection's own address counts, whatever the headers are", () => {
  const forged = {
    "x-forwarded-for": "192.0.2.1",
    "x-forwarded-proto": "https",
  };
  for (const [peer, address] of [
    ["203.0.113.9:4711", "203.0.113.9"],
    ["[2001:db8::9]:4711", "2001:db8::9"],
    ["[::ffff:203.0.113.9]:4711", "203.0.113.9"],
    ["unix:", "unix:"],
    ["", ""],
  ]) {
    assert.deepEqual(of(peer, [], forged), [address, undefined]);
    assert.deepEqual(of(peer, ["127.0.0.1"], forged), [address, undefined]);
  }
});

test("a trusted proxy's list counts, up to the first address that is not trusted", () => {
  const proxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"];
  for (const [list, address] of [
    ["198.51.100.7", "198.51.100.7"],
    ["192.0.2.1, 198.51.100.7", "198.51.100.7"],
    ["192.0.2.1, 198.51.100.7, 10.1.2.3", "198.51.100.7"],
    ["198.51.100.7:4711", "198.51.100.7"],
    ["[2001:db8:2::7]:4711, 2001:db8:1::1", "2001:db8:2::7"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["10.1.2.3, 10.4.5.6", "127.0.0.1"],
    ["198.51.100.7, unknown", "127.0.0.1"],
    ["198.51.100.7, _hidden", "127.0.0.1"],
    ["", "127.0.0.1"],
    [",", "127.0.0.1"],
  ]) {
    assert.equal(
      of("127.0.0.1:4711", proxies, { "x-forwarded-for": list })[0],
      address,
      list,
    );
  }
  assert.equal(of("127.0.0.1:4711", proxies)[0], "127.0.0.1");
});

test("zones of IPv6 are no part of an address, in peers, lists and proxies' addresses", () => {
  for (const [peer, address] of [
    ["[fe80::1%eth0]:4711", "fe80::1"],
    ["[fe80::1%25eth0]:4711", "fe80::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["[fe80::1%]:4711", "fe80::1"],
  ])
    assert.deepEqual(of(peer, []), [address, undefined]);
  const proxies = ["127.0.0.1", "fe80::/64"];
  for (const [list, address] of [
    ["fe81::7%eth0", "fe81::7"],
    ["[fe81::7%eth1]:4711", "fe81::7"],
    ["198.51.100.7, fe80::9%eth0", "198.51.100.7"],
    ["198.51.100.7, %eth0", "127.0.0.1"],
  ])
    assert.equal(
      of("127.0.0.1:1", proxies, { "x-forwarded-for": list })[0],
      address,
      list,
    );
  assert.equal(
    of("[fe80::9%eth0]:1", proxies, { "x-forwarded-for": "198.51.100.7" })[0],
    "198.51.100.7",
  );
});

test("the last 32 entries of a list count, and a list of megabytes takes no time", () => {
  const proxies = ["127.0.0.1", "10.0.0.0/8"];
  const listOf = (count) =>
    ["198.51.100.7", ...Array(count).fill("10.1.2.3")].join(", ");
  const addressOf = (list) =>
    of("127.0.0.1:1", proxies, { "x-forwarded-for": list })[0];
  assert.equal(addressOf(listOf(31)), "198.51.100.7");
  assert.equal(addressOf(listOf(32)), "127.0.0.1");
  assert.equal(
    addressOf(`${"192.0.2.1,".repeat(100)}198.51.100.7`),
    "198.51.100.7",
  );
  const start = performance.now();
  for (const list of [
    ",".repeat(2 ** 22),
    "10.1.2.3,".repeat(2 ** 18),
    "x".repeat(2 ** 22),
  ])
    addressOf(list);
  // Quadratic work on megabytes would take minutes. A busy machine takes a second.
  const ms = performance.now() - start;
  assert.ok(ms < 20_000, `${ms} ms`);
});

test("the scheme is the last proxy's, and can only be http or https", () => {
  for (const [header, scheme] of [
    ["https", "https:"],
    ["HTTP", "http:"],
    ["http, https", "https:"],
    ["https, http", "http:"],
    ["file", undefined],
    ["__proto__", undefined],
    ["constructor", undefined],
    ["", undefined],
  ]) {
    assert.equal(
      of("127.0.0.1:1", ["127.0.0.1"], { "x-forwarded-proto": header })[1],
      scheme,
      header,
    );
  }
});
