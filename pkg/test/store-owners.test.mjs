// Users who share a browser, in Node with an IndexedDB in memory: each sees and resumes only the
// own creates and tasks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openDB } from "idb";
import { failure, notFound, ok } from "./support/client.mjs";
import { brokenStorage, browser, file } from "./support/store.mjs";

/** Returns a session token of a user. The client does not check its signature. */
function tokenOf(sub, more = {}) {
  const part = (json) =>
    Buffer.from(JSON.stringify(json)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part({ iss: "app", sub, ...more })}.x`;
}

test("another user of the browser neither sees nor resumes a create", async (t) => {
  const { state, routes } = brokenStorage();
  const { page, seen, tokens } = browser(t, routes);
  const ada = await page(tokenOf("ada"));
  await failure(
    ada.media.backgroundRemoval({ file_id: file() }, { metadata: 7 }),
    "upload_failed",
    "not_sent",
  );
  state.isBroken = false;
  seen.lines.length = 0;

  const ben = await page(tokenOf("ben"));
  assert.deepEqual(await ben.store.creates(ben.media), []);
  const own = await ben.media.textToImage({ prompt: "p" });
  assert.deepEqual(
    seen.lines.filter((line) => line.startsWith("POST process")),
    [],
  );

  const again = await page(() => tokenOf("ada", { exp: 1 }));
  const [create, ...others] = await again.store.creates(again.media);
  assert.deepEqual([create.metadata, others], [7, []]);
  assert.deepEqual(await again.store.tasks(again.media), []);
  const task = await create.resume();
  assert.equal(task.id, "k");
  assert.equal(tokens.at(-1), `Bearer ${tokenOf("ada", { exp: 1 })}`);
  assert.equal((await again.store.tasks(again.client)).length, 1);
  assert.equal(own.id, "k", "both gateways of this test make the same id");
});

test("nothing on the disk tells who the user is", async (t) => {
  const { state, routes } = brokenStorage();
  const { page, name } = browser(t, routes);
  const { media } = await page(tokenOf("wilhelmina@example.com"));
  await failure(media.backgroundRemoval({ file_id: file() }));
  state.isBroken = false;
  await media.textToImage({ prompt: "p" });
  const database = await openDB(name);
  const tables = [...database.objectStoreNames];
  const rows = await Promise.all(tables.map((table) => database.getAll(table)));
  const text = JSON.stringify(rows);
  assert.match(text, /"owner":"[0-9a-f]{64}"/);
  // No word that random hexadecimal digits can spell.
  assert.doesNotMatch(text, /wilhelmina|example|iss|Bearer/);
  database.close();
});

test("a user is the same after a new token, and another one with another issuer", async (t) => {
  const { page } = browser(t);
  const first = await page(tokenOf("ada", { exp: 1 }));
  await first.media.textToImage({ prompt: "p" });
  const counts = [];
  for (const token of [
    tokenOf("ada", { exp: 2, scope: "upload" }),
    tokenOf("ada", { iss: "other" }),
    tokenOf("Ada"),
    "opaque",
  ]) {
    const { store, client } = await page(token);
    counts.push((await store.tasks(client)).length);
  }
  assert.deepEqual(counts, [1, 0, 0, 0]);
});

test("a create goes on only for the user who began it, if another one signs in meanwhile", async (t) => {
  let user = "ada";
  let accepted = tokenOf("ada");
  const { page, tokens } = browser(t, {
    "POST upload_urls": (_, { headers }) => {
      const token = new Headers(headers).get("authorization");
      return token === `Bearer ${accepted}`
        ? ok({ file_id: "f", upload_url: "https://storage.test/put" })
        : Response.json({ code: 13, message: "no" }, { status: 401 });
    },
  });
  const { media, store, client } = await page(() => tokenOf(user));
  await media.textToImage({ prompt: "p" });
  user = "ben";
  accepted = tokenOf("ben");
  const error = await failure(
    media.backgroundRemoval({ file_id: file() }),
    "token_failed",
    "not_sent",
  );
  assert.equal(error.message, "another user has signed in");
  assert.ok(tokens.every((token) => token === `Bearer ${tokenOf("ada")}`));

  // The stored create waits for its user.
  const ben = await page(tokenOf("ben"));
  assert.deepEqual(await ben.store.creates(ben.media), []);
  user = "ada";
  accepted = tokenOf("ada");
  assert.equal((await store.creates(client)).length, 1);
});

test("connect with the same function for a token makes another client if another user has signed in", async (t) => {
  let user = "ada";
  const { seen, tokens, page } = browser(t);
  const token = () => tokenOf(user);
  const one = await page(token);
  await one.client.models();
  const same = await page(token);
  await same.client.models();
  user = "ben";
  const other = await page(token);
  await other.client.models();
  assert.equal(seen.lines.length, 3);
  const users = tokens.map((text) =>
    text.includes(tokenOf("ben")) ? "ben" : "ada",
  );
  assert.deepEqual(users, ["ada", "ada", "ben"]);
});

test("rows without an owner, and rows of others with the same key, stay as they are", async (t) => {
  const { page, name } = browser(t, { "POST generate": notFound });
  const { store, client } = await page(tokenOf("ada"));
  const database = await openDB(name);
  const row = {
    at: Date.now(),
    capability: "text_to_image",
    input: { prompt: "p" },
    uploads: {},
    isWhole: true,
  };
  await database.put("creates", { ...row, key: "old" });
  await database.put("creates", { ...row, key: "shared", owner: "somebody" });
  assert.deepEqual(await store.creates(client), []);
  const media = store.keep(client);
  const error = await failure(
    media.textToImage({ prompt: "p" }, { idempotencyKey: "shared" }),
    "invalid_argument",
    "not_sent",
  );
  assert.match(error.message, /another user/);
  const left = await database.getAllKeys("creates");
  assert.deepEqual(left, ["old", "shared"]);
  database.close();
});

test("without a token nothing is listed, and nothing is sent", async (t) => {
  const { page, seen } = browser(t);
  const { store, client, media } = await page(() => {
    throw new Error("sign in first");
  });
  for (const list of [store.tasks(client), store.creates(client)]) {
    const error = await failure(list, "token_failed");
    assert.equal(error.message, "sign in first");
  }
  await failure(media.textToImage({ prompt: "p" }), "token_failed", "not_sent");
  await wait(0);
  assert.deepEqual(seen.lines, []);
});
