// The peer that creates are compared with is only a fair comparison if it does comparable work.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { token } from "../support/token.mjs";
import { plainCallers, request } from "./support/callers.mjs";
import { startUpstream } from "./support/upstream.mjs";
import { startDurablePeer } from "./support/workerd.mjs";

const PATH = "/api/app/v1/generate/video/image_to_video";
const INPUT = { file_id: "f", prompt: "p" };

let upstream;
let peer;
before(async () => {
  upstream = await startUpstream();
  peer = await startDurablePeer(upstream.url);
});
after(() => Promise.all([peer?.stop(), upstream?.stop()]));

/**
 * @param {unknown} body
 * @param {{ key?: string, bearer?: string }} [options]
 */
async function create(body, { key, bearer = token() } = {}) {
  const more = key === undefined ? {} : { "idempotency-key": key };
  const response = await fetch(
    peer.url + PATH,
    request(bearer, "POST", PATH, body, more),
  );
  return { status: response.status, text: await response.text() };
}

async function creates(work) {
  const count = upstream.creates;
  await work();
  return upstream.creates - count;
}

test("creates with one key are charged once, together or one after the other, and get equal responses", async () => {
  const seen = [];
  const many = async () =>
    seen.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, () => create(INPUT, { key: "one" })),
      )),
    );
  assert.equal(await creates(many), 1);
  assert.equal(await creates(many), 0);
  assert.deepEqual(
    [...new Set(seen.map((response) => response.status))],
    [200],
  );
  assert.equal(new Set(seen.map((response) => response.text)).size, 1);
});

test("a key belongs to one subject and one input; without a key every create is new", async () => {
  assert.equal(await creates(() => create(INPUT, { key: "two" })), 1);
  assert.equal(
    await creates(() => create(INPUT, { key: "two", bearer: token("bob") })),
    1,
  );
  const reused = create({ ...INPUT, prompt: "another" }, { key: "two" });
  assert.equal(await creates(() => reused), 0);
  assert.equal((await reused).status, 422);
  assert.equal(
    await creates(() => Promise.all([create(INPUT), create(INPUT)])),
    2,
  );
});

test("an invalid create does not reach the upstream", async () => {
  const [head, claims, signature] = token().split(".");
  const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
  /** @type {[body: unknown, bearer: string, status: number][]} */
  const refused = [
    [INPUT, token("alice", "", { exp: 1 }), 401],
    [INPUT, token("alice", "", { aud: "another" }), 401],
    [INPUT, token("", ""), 401],
    [INPUT, `${head}.${claims}.${signature.slice(2)}`, 401],
    [INPUT, `${unsigned}.${claims}.`, 401],
    [{ file_id: "f" }, token(), 400],
    [{ ...INPUT, prompt: " " }, token(), 400],
    [{ ...INPUT, duration_seconds: 1.5 }, token(), 400],
    [{ ...INPUT, more: 1 }, token(), 400],
    [[], token(), 400],
  ];
  for (const [body, bearer, status] of refused) {
    const sent = create(body, { bearer });
    assert.equal(await creates(() => sent), 0);
    assert.equal((await sent).status, status, JSON.stringify(body));
  }
});

test("the peer serves the requests of the load", async () => {
  const callers = plainCallers(2);
  for (const { path, ...init } of [callers.status(), callers.create()]) {
    assert.equal((await fetch(peer.url + path, init)).status, 200);
  }
});
