// Whose an id is: decided by who asks, as what, of which tenant, and under which key; any doubt is an unknown id.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const TASK = { json: { code: 0, data: { task: { id: "task-1", status: "QUEUED" } } } };
const [OLD, NEW, NEWEST] = ["old", "new", "newest"].map((it) => `${it}-`.repeat(12));

let upstream;
const gateways = [];
before(async () => (upstream = await startUpstream(() => TASK)));
after(() => Promise.all([...gateways.map((it) => it.stop()), upstream?.stop()]));
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.answer = () => TASK;
});

const start = async (settings = {}) => {
  const gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, ...settings });
  gateways.push(gateway);
  return gateway;
};
const ask = async (gateway, path, { bearer = token(), body } = {}) => {
  const response = await fetch(gateway.url + path, { method: body ? "POST" : "GET", headers: { authorization: `Bearer ${bearer}` }, body: body && JSON.stringify(body) });
  return { status: response.status, ...(await response.json()) };
};
const create = async (gateway, bearer) => (await ask(gateway, CREATE, { bearer, body: { prompt: "p" } })).data.task.id;
const read = (gateway, id, bearer, group = "generate") => ask(gateway, `/api/app/v1/${group}/tasks/${encodeURIComponent(id)}`, { bearer });
const unknown = ({ status, data }, what) => assert.deepEqual([status, data.reason], [404, "unknown_task"], what);

test("every bit flip and every truncation of an id is another id, and nobody's", async () => {
  const gateway = await start();
  const id = await create(gateway);
  const bytes = Buffer.from(id, "base64url");
  const forms = Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    return flipped.toString("base64url");
  });
  for (let end = 1; end < id.length; end++) forms.push(id.slice(0, end));
  // The bits of the last character that mean nothing have to be zero, or one id would read in several ways.
  for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") if (last !== id.at(-1)) forms.push(id.slice(0, -1) + last);
  upstream.seen.length = 0;
  for (const form of forms) unknown(await read(gateway, form), form);
  assert.equal(upstream.seen.length, 0);
  assert.equal((await read(gateway, id)).data.task.id, id);
});

test("subjects with delimiters in them are nobody else", async () => {
  const gateway = await start();
  const names = ["a", "a\0", "a:b", "a\0b", "a,b", "a b", "a\nb", '"a"', "á", "a\u0301"];
  const ids = await Promise.all(names.map((it) => create(gateway, token(it))));
  assert.equal(new Set(ids).size, names.length);
  // The same letters with the border between issuer and subject elsewhere.
  const split = (iss, sub) => token(sub, "generate:*", { iss });
  const id = await create(gateway, split("ab", "c"));
  upstream.seen.length = 0;
  for (const bearer of [split("a", "bc"), split("", "abc"), split("abc", "c"), token("c"), ...names.map((it) => token(it))]) unknown(await read(gateway, id, bearer));
  assert.equal(upstream.seen.length, 0);
});

test("an id is of its tenant", async () => {
  const [one, other] = [await start({ TENANT: "one" }), await start({ TENANT: "other" })];
  const id = await create(one);
  assert.equal((await read(one, id)).status, 200);
  unknown(await read(other, id));
});

test("keys rotate: the current one and the one before open, older ones do not", async () => {
  const before = await start({ SEAL_SECRET: OLD });
  const id = await create(before);
  const during = await start({ SEAL_SECRET: `${NEW},${OLD}` });
  assert.equal((await read(during, id)).status, 200);
  const renewed = await create(during);
  assert.notEqual(renewed, id);
  const afterwards = await start({ SEAL_SECRET: `${NEWEST},${NEW},${OLD}` });
  assert.equal((await read(afterwards, renewed)).status, 200);
  unknown(await read(afterwards, id), "two keys are behind it");
});

test("upload URLs lead to listed hosts alone, and the key goes to none", async () => {
  const storage = await startUpstream(() => ({ status: 200, body: "" }));
  const gateway = await start({ UPLOAD_HOSTS: `storage.example.com,${new URL(storage.url).host}`, UPLOAD_MODE: "relay" });
  const upload = (upload_url) => {
    upstream.answer = () => ({ json: { code: 0, data: { upload_url, file_id: "f" } } });
    return ask(gateway, "/api/app/v1/upload_urls", { body: { file_name: "a.png", content_type: "image/png", size: 3 } });
  };
  for (const url of ["https://evil.example.com/", "http://storage.example.com/", "https://storage.example.com.evil.example.com/", "https://storage.example.com@evil.example.com/", "https://a:b@storage.example.com/", "http://127.0.0.1:1/", "http://169.254.169.254/", "file:///etc/passwd", "javascript:alert(1)", "//storage.example.com/", "https:\\\\evil.example.com\\@storage.example.com/"]) {
    const answer = await upload(url);
    assert.deepEqual([answer.status, answer.data.reason], [502, "upload_host_not_allowed"], url);
  }
  const { data } = await upload(`${storage.url}/put?signature=s`);
  const put = (bearer, body) => fetch(data.upload_url, { method: "PUT", headers: { authorization: `Bearer ${bearer}`, cookie: "a=b", "x-evil": "1" }, body });
  assert.equal((await put(token("bob"), "abc")).status, 403);
  assert.equal((await put(token(), "too long")).status, 400);
  assert.equal(storage.seen.length, 0);
  assert.equal((await put(token(), "abc")).status, 200);
  const [{ path, headers, body }] = storage.seen;
  assert.deepEqual([path, body, headers["content-type"]], ["/put?signature=s", "abc", "image/png"]);
  assert.deepEqual([headers.authorization, headers.cookie, headers["x-evil"]], [undefined, undefined, undefined]);
  assert.ok(!JSON.stringify(storage.seen).includes(SETTINGS.UPSTREAM_API_KEY));
  await storage.stop();
});
