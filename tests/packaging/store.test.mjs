// mediagate/store finds creates and tasks again after a reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../e2e/playground.mjs";
import { ENGINE, IN_CHROMIUM } from "../support/engines/index.mjs";
import { forward } from "../support/forward.mjs";
import { token } from "../support/token.mjs";
import { suite } from "./support/suite.mjs";

const STORES_FILES = ENGINE !== "webkit";
const suited = suite({ storage: true });
const open = async (t) =>
  suited.visit(t, await suited.project(t, "page", "plain"), {
    path: "/store.html",
  });

const create = () =>
  globalThis.media
    .textToImageTurbo({ prompt: "a paper boat" })
    .then((task) => task.id);
const storedIds = () =>
  globalThis.store
    .tasks(globalThis.media)
    .then((tasks) => tasks.map((task) => task.id));
const ready = (page) => page.waitFor(() => globalThis.outcome === "ready");

test("a task is stored at its create, and found after a reload, until it is forgotten", async (t) => {
  const { page } = await open(t);
  const ids = [await page.evaluate(create), await page.evaluate(create)];
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(storedIds), ids);
  const states = await page.evaluate(async () => {
    const tasks = await globalThis.store.tasks(globalThis.media);
    const done = await Promise.all(tasks.map((task) => task.done()));
    await globalThis.store.forget(tasks[0]);
    return done.map((task) => task.state);
  });
  assert.deepEqual(states, ["SUCCEEDED", "SUCCEEDED"]);
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(storedIds), [ids[1]]);
});

test("another tab finds a task, and a task that one tab forgets is gone in the other", async (t) => {
  const { page, address } = await open(t);
  const id = await page.evaluate(create);
  const other = await page.openTab(address);
  await ready(other);
  assert.deepEqual(await other.evaluate(storedIds), [id]);
  await other.evaluate(async () =>
    globalThis.store.forget(
      (await globalThis.store.tasks(globalThis.media))[0],
    ),
  );
  assert.deepEqual(await page.evaluate(storedIds), []);
});

/** A picture of one pixel. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/**
 * Resolves to the credits that are left of the emulator's account. Each create of a picture costs
 * 4, each processing 2.
 */
async function credits() {
  return (await (await fetch(`${suited.stack.admin}/scene`)).json()).credits;
}

/**
 * Runs in the page: resolves to the unfinished creates, without values that differ between runs.
 */
const unfinished = () =>
  globalThis.store.creates(globalThis.media).then((all) =>
    all.map(({ capability, input, mayBeCharged, resumable, metadata }) => ({
      capability,
      input: { ...input },
      mayBeCharged,
      resumable,
      metadata,
    })),
  );

/**
 * Runs in the page: tests if an unfinished create is listed. After a reload, the browser may release
 * the locks of the page before it only later.
 */
const isOffered = async () =>
  (await globalThis.store.creates(globalThis.media)).length > 0;

/** Runs in the page: resolves to a storing client whose requests to this path never end. */
const hanging = (path) =>
  globalThis.connect({
    url: globalThis.gateway,
    fetch: (request, options) =>
      (request.url ?? String(request)).includes(path)
        ? new Promise(() => {})
        : fetch(request, options),
  });

/** Runs in the page: tests if a create is stored, and may have been sent if it must be. */
const isStored = ({ mustBeSent }) =>
  new Promise((resolve) => {
    const opening = indexedDB.open("mediagate");
    opening.onsuccess = () => {
      const reading = opening.result
        .transaction("creates")
        .objectStore("creates")
        .getAll();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(reading.result.some(({ sentAt }) => sentAt || !mustBeSent));
      };
    };
  });

test("a reload while a create is under way loses nothing, and nothing is charged twice", async (t) => {
  const { page } = await open(t);
  const before = await credits();
  const input = { prompt: "a paper boat", title: "emulate: drip=250" };
  await page.evaluate(
    (input) =>
      void globalThis.media.textToImageTurbo(input, { metadata: { album: 7 } }),
    input,
  );
  // The upstream has the create, and its response takes some seconds.
  await eventually(async () => before - (await credits()), 4);
  await page.reload();
  await ready(page);
  await page.returns(unfinished, [
    {
      capability: "text_to_image_turbo",
      input,
      mayBeCharged: true,
      resumable: true,
      metadata: { album: 7 },
    },
  ]);
  const { id, state, metadata } = await page.evaluate(async () => {
    const [create] = await globalThis.store.creates(globalThis.media);
    const task = await create.resume();
    return {
      id: task.id,
      metadata: task.metadata,
      state: (await task.done()).state,
    };
  });
  assert.deepEqual([state, metadata], ["SUCCEEDED", { album: 7 }]);
  assert.deepEqual(await page.evaluate(unfinished), []);
  assert.deepEqual(await page.evaluate(storedIds), [id]);
  assert.equal(before - (await credits()), 4, "one picture");
});

/** Runs in the page: uploads a picture for a create whose response never arrives. */
const sendHanging = async ({ source, picture }) => {
  const hanging = new Function(`return ${source}`)();
  const media = globalThis.store.keep(await hanging("background_removal"));
  const blob = await (await fetch(picture)).blob();
  void media.backgroundRemoval({ file_id: blob });
};
const HANGING = { source: String(hanging), picture: PICTURE };

test("an uploaded file is not uploaded again after a reload", async (t) => {
  const { page } = await open(t);
  await page.evaluate(sendHanging, HANGING);
  await page.waitFor(isStored, { mustBeSent: true });
  await page.reload();
  await ready(page);
  await page.waitFor(isOffered);
  const [create] = await page.evaluate(unfinished);
  assert.match(create.input.file_id, /./);
  const state = await page.evaluate(async () => {
    const [create] = await globalThis.store.creates(globalThis.media);
    return (await (await create.resume()).done()).state;
  });
  assert.equal(state, "SUCCEEDED");
});

const TWO_TABS =
  "two tabs that resume a create at the same time upload and pay once";

test(TWO_TABS, { skip: !STORES_FILES && "it stores no files" }, async (t) => {
  const { page, address } = await open(t);
  await page.evaluate(
    async ({ source, picture }) => {
      const hanging = new Function(`return ${source}`)();
      const media = globalThis.store.keep(await hanging("upload_urls"));
      const blob = await (await fetch(picture)).blob();
      void media.backgroundRemoval({ file_id: blob });
    },
    { source: String(hanging), picture: PICTURE },
  );
  await page.waitFor(isStored, { mustBeSent: false });
  await page.reload();
  await ready(page);
  const other = await page.openTab(address);
  await ready(other);
  await page.waitFor(isOffered);
  const before = await credits();
  const list = async () => {
    globalThis.creates = await globalThis.store.creates(globalThis.media);
    return globalThis.creates.length;
  };
  assert.deepEqual(
    [await page.evaluate(list), await other.evaluate(list)],
    [1, 1],
  );
  const resume = async () => (await globalThis.creates[0].resume()).id;
  const [one, two] = await Promise.all([
    page.evaluate(resume),
    other.evaluate(resume),
  ]);
  assert.equal(one, two);
  assert.equal(before - (await credits()), 2, "one processing");
  assert.deepEqual(await page.evaluate(unfinished), []);
});

test("other tabs are notified, and a create that one tab works on is not offered to another", async (t) => {
  const { page, address } = await open(t);
  const other = await page.openTab(address);
  await ready(other);
  await other.evaluate(() => {
    globalThis.changes = 0;
    globalThis.end = globalThis.store.subscribe(() => globalThis.changes++);
  });
  await page.evaluate(
    () =>
      void globalThis.media.textToImageTurbo({
        prompt: "p",
        title: "emulate: slow=2000",
      }),
  );
  await other.waitFor(() => globalThis.changes > 0);
  assert.deepEqual(await other.evaluate(unfinished), []);
  await other.waitFor(
    async () => (await globalThis.store.tasks(globalThis.media)).length === 1,
  );
  await other.evaluate(() => {
    globalThis.end();
    globalThis.changes = 0;
    globalThis.later = 0;
    globalThis.store.subscribe(() => globalThis.later++);
  });
  await page.evaluate(create);
  await other.waitFor(
    async () => (await globalThis.store.tasks(globalThis.media)).length === 2,
  );
  // A listener that has not ended is notified.
  await other.waitFor(() => globalThis.later > 0);
  assert.equal(await other.evaluate(() => globalThis.changes), 0);
});

test("a create whose response is lost is repeated with its key, and creates one task", {
  skip: IN_CHROMIUM,
}, async (t) => {
  const { page } = await open(t);
  const responses = [];
  await page.playwright.route("**/generate/image/**", async (route) => {
    const response = await forward(route);
    const { id } = (await response.json()).data.task;
    responses.push([id, response.headers()["idempotent-replayed"]]);
    await (responses.length === 1
      ? route.abort("connectionreset")
      : route.fulfill({ response }));
  });
  const id = await page.evaluate(create);
  assert.deepEqual(responses, [
    [id, undefined],
    [id, "true"],
  ]);
});

const TWO_USERS =
  "a photo of one user does not become a video of the next one in the same browser";

test(TWO_USERS, { skip: !STORES_FILES && "it stores no files" }, async (t) => {
  const { page } = await open(t);
  const [ada, ben] = ["ada", "ben"].map((subject) => token(subject));
  const before = await credits();
  const outcome = await page.evaluate(
    async ({ ada, picture }) => {
      const media = globalThis.store.keep(
        await globalThis.connect({
          url: globalThis.gateway,
          token: ada,
          maxRetries: 0,
          fetch: (url, init) =>
            init.method === "PUT"
              ? Promise.reject(new TypeError("offline"))
              : fetch(url, init),
        }),
      );
      const blob = await (await fetch(picture)).blob();
      return media
        .backgroundRemoval({ file_id: blob })
        .catch((error) => [error.code, error.outcome]);
    },
    { ada, picture: PICTURE },
  );
  assert.deepEqual(outcome, ["upload_failed", "not_sent"]);

  /** Runs in the page: the loop of the README. Resolves to the numbers of creates and tasks. */
  const loop = async (token) => {
    const { store, connect, gateway: url } = /** @type {any} */ (globalThis);
    const media = store.keep(await connect({ url, token: () => token }));
    let resumed = 0;
    for (const create of await store.creates(media)) {
      if (create.resumable) await create.resume();
      resumed += 1;
    }
    const tasks = await store.tasks(media);
    for (const task of tasks) await task.done();
    return [resumed, tasks.length];
  };
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(loop, ben), [0, 0]);
  assert.equal(before - (await credits()), 0);
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(loop, ada), [1, 1]);
  assert.equal(before - (await credits()), 2, "one processing");
});

const OFFLINE = "a create that is resumed offline stays, and works later";

test(OFFLINE, { skip: IN_CHROMIUM }, async (t) => {
  const { page } = await open(t);
  const before = await credits();
  const context = page.playwright.context();
  /** Runs in the page: makes a storing client without retries. */
  const make = async () => {
    const { connect, gateway: url, store } = /** @type {any} */ (globalThis);
    globalThis.once = store.keep(await connect({ url, maxRetries: 0 }));
  };
  await page.evaluate(make);
  // The upload fails while the page is offline.
  await context.setOffline(true);
  const send = async (picture) => {
    const blob = await (await fetch(picture)).blob();
    return globalThis.once
      .backgroundRemoval({ file_id: blob })
      .catch((error) => [error.code, error.outcome]);
  };
  assert.deepEqual(await page.evaluate(send, PICTURE), ["network", "not_sent"]);
  await context.setOffline(false);
  await page.reload();
  await ready(page);
  await page.evaluate(make);
  const resume = async () => {
    const [create] = await globalThis.store.creates(globalThis.once);
    return create
      .resume()
      .then((task) => task.done())
      .then(
        (task) => task.state,
        (error) => [error.code, error.outcome],
      );
  };
  await page.waitFor(isOffered);
  await context.setOffline(true);
  assert.deepEqual(await page.evaluate(resume), ["network", "not_sent"]);
  await context.setOffline(false);
  assert.equal(await page.evaluate(resume), "SUCCEEDED");
  assert.equal(before - (await credits()), 2, "one processing");
});

const KILLED = "a create of a tab that is killed is finished by another tab";

test(KILLED, { skip: IN_CHROMIUM }, async (t) => {
  const { page, address } = await open(t);
  const before = await credits();
  const victim = await page.playwright.context().newPage();
  await victim.goto(address);
  await victim.waitForFunction(() => globalThis.outcome === "ready");
  await victim.evaluate(sendHanging, HANGING);
  await page.waitFor(isStored, { mustBeSent: true });
  const crashed = victim.waitForEvent("crash");
  void victim.goto("chrome://crash").catch(() => {});
  await crashed;
  await page.waitFor(isOffered);
  const state = await page.evaluate(async () => {
    const [create] = await globalThis.store.creates(globalThis.media);
    return (await (await create.resume()).done()).state;
  });
  assert.equal(state, "SUCCEEDED");
  assert.equal(before - (await credits()), 2, "one processing");
});

test("a file that a proxy refuses as too large is sent once, and the error says so", {
  skip: IN_CHROMIUM,
}, async (t) => {
  const { page } = await open(t);
  let sent = 0;
  await page.playwright.route("**/*", (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    sent += 1;
    return route.fulfill({
      status: 413,
      headers: { "access-control-allow-origin": "*" },
      contentType: "text/html",
      body: "<h1>413 Request Entity Too Large</h1>",
    });
  });
  const error = await page.evaluate(async () => {
    const { media } = /** @type {any} */ (globalThis);
    const large = new Blob([new Uint8Array(3_000_000)], { type: "image/png" });
    return media
      .backgroundRemoval({ file_id: large })
      .catch(({ code, reason, message, retryable }) => [
        code,
        reason,
        message,
        retryable,
      ]);
  });
  assert.equal(sent, 1);
  assert.match(error[2], /too large/);
  assert.equal(error[3], false);
});
