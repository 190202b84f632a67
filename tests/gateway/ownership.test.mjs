// Ownership of ids. An id is bound to its subject, kind, tenant and key; for anyone else it is
// unknown.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { openRaw } from "../support/raw.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { taskResponse } from "../support/world.mjs";

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const TASK = taskResponse("QUEUED", "task-1");
const [OLD, NEW, NEWEST] = ["old", "new", "newest"].map((word) =>
  `${word}-`.repeat(12),
);

const upstream = await startUpstream(() => TASK);
const running = [upstream];
after(() => Promise.all(running.map((server) => server.stop())));
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.respond = () => TASK;
});

const start = async (settings = {}) => {
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    ...settings,
  });
  running.push(/** @type {any} */ (gateway));
  return gateway;
};
const plain = await start();
const create = async (gateway, bearer) =>
  (await request(gateway.url + CREATE, { bearer, body: { prompt: "p" } })).data
    .task.id;
const read = (gateway, id, bearer) =>
  request(
    `${gateway.url}/api/app/v1/generate/tasks/${encodeURIComponent(id)}`,
    { bearer },
  );
/**
 * @param {import("../support/request.mjs").Reply} reply
 * @param {string} [message]
 */
const assertUnknown = ({ status, data }, message) =>
  assert.deepEqual([status, data.reason], [404, "unknown_task"], message);

test("equal letters, split differently between issuer and subject, are different subjects", async () => {
  const split = (iss, sub) => token(sub, "generate:*", { iss });
  const id = await create(plain, split("ab", "c"));
  upstream.seen.length = 0;
  for (const bearer of [split("a", "bc"), split("", "abc"), token("c")])
    assertUnknown(await read(plain, id, bearer));
  assert.equal(upstream.seen.length, 0);
});

test("an id is valid only in its tenant", async () => {
  const one = await start({ TENANT: "one" });
  const other = await start({ TENANT: "other" });
  const id = await create(one);
  assert.equal((await read(one, id)).status, 200);
  assertUnknown(await read(other, id));
});

test("keys rotate: ids sealed with the current or the previous key are unsealed, older ones are not", async () => {
  const before = await start({ SEAL_SECRET: OLD });
  const id = await create(before);
  const during = await start({ SEAL_SECRET: `${NEW},${OLD}` });
  assert.equal((await read(during, id)).status, 200);
  const renewed = await create(during);
  assert.notEqual(renewed, id);
  const afterwards = await start({ SEAL_SECRET: `${NEWEST},${NEW},${OLD}` });
  assert.equal((await read(afterwards, renewed)).status, 200);
  assertUnknown(await read(afterwards, id), "its key is two rotations old");
});

test("upload URLs lead to listed hosts only, and the API key is sent to none", async () => {
  const storage = await startUpstream(() => ({ status: 200, body: "" }));
  const gateway = await start({
    UPLOAD_HOSTS: `storage.example.com,${new URL(storage.url).host}`,
    UPLOAD_MODE: "relay",
  });
  const upload = (upload_url) => {
    upstream.respond = () => ({
      json: { code: 0, data: { upload_url, file_id: "f" } },
    });
    return request(`${gateway.url}/api/app/v1/upload_urls`, {
      body: { file_name: "a.png", content_type: "image/png", size: 3 },
    });
  };
  for (const url of [
    "https://evil.example.com/",
    "https://storage.example.com@evil.example.com/",
    "https://storage.example.com/$(id)",
  ]) {
    const response = await upload(url);
    assert.deepEqual(
      [response.status, response.data.reason],
      [502, "upload_host_not_allowed"],
      url,
    );
  }
  const direct = await start({ UPLOAD_HOSTS: "storage.example.com" });
  upstream.respond = () => ({
    json: {
      code: 0,
      data: {
        upload_url: "HTTPS://STORAGE.example.com:443/a/./b?X=%2B",
        file_id: "f",
      },
    },
  });
  const body = { file_name: "a.png", content_type: "image/png", size: 3 };
  const normal = await request(`${direct.url}/api/app/v1/upload_urls`, {
    body,
  });
  assert.equal(
    normal.data.upload_url,
    "https://storage.example.com/a/b?X=%2B",
    "as it was judged",
  );

  const { data } = await upload(`${storage.url}/put?signature=s`);
  const put = (bearer, body) =>
    fetch(data.upload_url, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${bearer}`,
        cookie: "a=b",
        "x-evil": "1",
      },
      body,
    });
  assert.equal((await put(token("bob"), "abc")).status, 403);
  for (const body of [undefined, "too long"])
    assert.equal((await put(token(), body)).status, 400);
  assert.equal(storage.seen.length, 0);
  assert.equal((await put(token(), "abc")).status, 200);
  const [{ path, headers, body: stored }] = storage.seen;
  assert.deepEqual(
    [path, stored, headers["content-type"]],
    ["/put?signature=s", "abc", "image/png"],
  );
  assert.deepEqual(
    [headers.authorization, headers.cookie, headers["x-evil"]],
    [undefined, undefined, undefined],
  );
  assert.ok(!JSON.stringify(storage.seen).includes(SETTINGS.UPSTREAM_API_KEY));
  await storage.stop();
});

test("a relayed upload that stalls is ended", async () => {
  const storage = await startUpstream(() => ({ status: 200, body: "" }));
  const gateway = await start({
    UPLOAD_HOSTS: "127.0.0.1",
    UPLOAD_MODE: "relay",
    UPSTREAM_TIMEOUT_MS: "3000",
  });
  upstream.respond = () => ({
    json: { code: 0, data: { upload_url: `${storage.url}/put`, file_id: "f" } },
  });
  const size = 5_000_000;
  const body = { file_name: "a.png", content_type: "image/png", size };
  const { data } = await request(`${gateway.url}/api/app/v1/upload_urls`, {
    body,
  });
  const connection = await openRaw(gateway.url);
  const head = `PUT ${new URL(data.upload_url).pathname} HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\n`;
  connection.send(
    `${head}Authorization: Bearer ${token()}\r\nContent-Length: ${size}\r\n\r\nabc`,
  );
  const started = Date.now();
  const { status, text } = await connection.response;
  connection.close();
  assert.equal(status, 408, text);
  assert.match(text, /"slow_body"/);
  // A timeout by size would allow 156 seconds for 5 MB.
  assert.ok(Date.now() - started < 30_000);
  assert.deepEqual(storage.seen, []);
  await storage.stop();
});
