// The observers in Node, with a scripted gateway and an IndexedDB in memory. tests/packaging has them
// in frameworks, with real reloads.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  observeConnection,
  observeGeneration,
  observeHistory,
  observeStoredTasks,
  observeTask,
  observeUpload,
  observeUploads,
} from "../dist/observers.js";
import { connect, mediagate, ok } from "./support/client.mjs";
import { browser, file, never } from "./support/store.mjs";

const AT = { url: mediagate.URL_OF_GATEWAY };

/** The storage of a tab, which Node lacks. */
const session = new Map();
Object.defineProperty(globalThis, "sessionStorage", {
  value: {
    getItem: (name) => session.get(name) ?? null,
    setItem: (name, text) => session.set(name, text),
    removeItem: (name) => session.delete(name),
  },
});
afterEach(() => session.clear());

/** Subscribes during a test. Returns the states so far, and a wait for one. */
function watch(t, observer) {
  const states = [observer.getSnapshot()];
  const end = observer.subscribe(() => states.push(observer.getSnapshot()));
  t.after(end);
  const until = async (isMet) => {
    for (let waits = 0; !isMet(observer.getSnapshot()); waits += 1) {
      assert.ok(waits < 1_000, JSON.stringify(observer.getSnapshot()));
      await wait(5);
    }
    return observer.getSnapshot();
  };
  const reaches = (status) => until((state) => state.status === status);
  return { states, end, until, reaches };
}

const creates = ({ lines }) =>
  lines.filter((line) => line.startsWith("POST generate")).length;

/** Makes a browser whose tasks are in `state.task`, and a page of it with a new client. */
function tab(t, routes = {}) {
  const state = { task: "PROCESSING" };
  const record = () =>
    Response.json({
      ...mediagate.record(state.task),
      data: {
        task: {
          ...{ id: "k", state: state.task },
          ...(state.task === "SUCCEEDED" && {
            outputs: [{ url: "https://h.test/a.png", kind: "image" }],
          }),
        },
      },
    });
  const own = browser(t, {
    "GET tasks/": () => new Response("", { status: 404 }),
    "GET generate/tasks": record,
    ...routes,
  });
  const page = async () => {
    // A function of its own, so that the client shares nothing with that of the page before.
    const { store, client, media } = await own.page(() => "t");
    const generate = (options) =>
      observeGeneration(client, "text_to_image", { store, ...options });
    return { store, client, media, generate };
  };
  return { state, seen: own.seen, page };
}

test("an observer works only while it has subscribers, and begins anew with the next", async (t) => {
  const seen = mediagate.gateway();
  const media = await connect(seen.options);
  const observer = observeTask(media.tasks.restore(mediagate.SAVED));
  await wait(10);
  assert.deepEqual(seen.lines, []);
  const first = observer.subscribe(() => {});
  const second = observer.subscribe(() => {});
  await wait(20);
  assert.equal(seen.open, 1);
  first();
  first();
  await wait(20);
  assert.equal(seen.open, 1, "an end counts once");
  second();
  await wait(20);
  assert.equal(seen.open, 0);
  const { until } = watch(t, observer);
  await wait(20);
  seen.streams.at(-1).write(mediagate.event("RUNNING"));
  await until(({ snapshot }) => snapshot.state === "RUNNING");
});

test("a task is read again after a failure that may pass, and not after another", async (t) => {
  let failure = Response.json({ code: 99, message: "no" }, { status: 500 });
  const { client, seen } = await (async () => {
    const seen = mediagate.gateway({
      "GET tasks/": () => new Response("", { status: 404 }),
      "GET process/tasks": () =>
        failure?.clone() ?? Response.json(mediagate.record("SUCCEEDED")),
    });
    return { seen, client: await connect(seen.options) };
  })();
  const observer = observeTask(client.tasks.restore(mediagate.SAVED));
  const { until } = watch(t, observer);
  const lost = await until(({ reconnecting }) => reconnecting);
  assert.deepEqual(
    [lost.reconnecting.code, lost.error],
    ["server_error", undefined],
  );
  failure = Response.json({ code: 13, message: "no" }, { status: 403 });
  const stopped = await until(({ error }) => error);
  assert.deepEqual(
    [stopped.error.code, stopped.reconnecting],
    ["forbidden", undefined],
  );
  const before = seen.lines.length;
  await wait(50);
  assert.equal(seen.lines.length, before);
  failure = undefined;
  observer.retry();
  assert.equal(observer.getSnapshot().error, undefined);
  const { snapshot } = await until(({ snapshot }) => snapshot.state);
  assert.equal(snapshot.state, "SUCCEEDED");
});

test("a generation creates a task, and follows it until its end", async (t) => {
  const { state, page } = tab(t);
  const { generate } = await page();
  const generation = generate();
  assert.equal(generation.getSnapshot().status, "connecting");
  const { states, reaches } = watch(t, generation);
  assert.equal(generation.getSnapshot().status, "idle");
  const task = await generation.run(
    { prompt: "a boat" },
    { metadata: { turn: 1 } },
  );
  assert.equal(task.id, "k");
  state.task = "SUCCEEDED";
  const { outputs, snapshot, metadata, error } = await reaches("succeeded");
  assert.deepEqual(
    [outputs[0].url, snapshot.id, metadata, error],
    ["https://h.test/a.png", "k", { turn: 1 }, undefined],
  );
  const statuses = states.map(({ status }) => status);
  assert.deepEqual(
    [...new Set(statuses)],
    ["connecting", "idle", "creating", "running", "succeeded"],
  );
  const [names] = states.map((state) => Object.keys(state).toSorted());
  for (const each of states)
    assert.deepEqual(Object.keys(each).toSorted(), names);
});

test("an equal input is created once until its task has ended, and another input is another task", async (t) => {
  const { state, seen, page } = tab(t);
  const { client, store } = await page();
  const generation = observeGeneration(client, "background_removal", { store });
  const { reaches } = watch(t, generation);
  const input = file("a");
  const posts = () =>
    seen.lines.filter((line) => line.startsWith("POST process")).length;
  await Promise.all([
    generation.run({ file_id: input }),
    generation.run({ file_id: input }),
  ]);
  await generation.run({ file_id: input });
  assert.equal(posts(), 1);
  await generation.run({ file_id: file("a") });
  assert.equal(posts(), 2, "it is another file");
  assert.equal(state.task, "PROCESSING");
  generation.reset();
  await reaches("idle");
});

test("a form may change its values after the call", async (t) => {
  const { seen, page } = tab(t);
  const { generate } = await page();
  const generation = generate();
  watch(t, generation);
  const form = { prompt: "a boat" };
  const first = generation.run(form);
  form.prompt = "a house";
  const second = generation.run(form);
  await Promise.all([first, second]);
  const prompts = seen.bodies.flatMap((body) =>
    typeof body === "string" ? [JSON.parse(body).prompt] : [],
  );
  assert.deepEqual(prompts.toSorted(), ["a boat", "a house"]);
});

test("generations of one name are one, also for an observer that comes later", async (t) => {
  const { seen, page } = tab(t);
  const { generate } = await page();
  const first = generate({ name: "a" });
  watch(t, first);
  const running = first.run({ prompt: "a boat" });
  const { reaches } = watch(t, generate({ name: "a" }));
  const other = generate({ name: "b" });
  watch(t, other);
  await running;
  await reaches("running");
  assert.equal(other.getSnapshot().status, "idle");
  assert.equal(creates(seen), 1);
});

test("a reload finds the task again, and a reset does not", async (t) => {
  const { state, page, seen } = tab(t);
  const first = (await page()).generate();
  watch(t, first);
  await first.run({ prompt: "a boat" }, { metadata: 7 });
  state.task = "SUCCEEDED";
  const second = (await page()).generate();
  const { states, reaches } = watch(t, second);
  const { metadata } = await reaches("succeeded");
  assert.equal(metadata, 7);
  assert.deepEqual(
    [...new Set(states.map(({ status }) => status))].slice(0, 2),
    ["connecting", "restoring"],
  );
  second.reset();
  assert.equal(second.getSnapshot().status, "idle");
  const third = (await page()).generate();
  watch(t, third);
  await wait(30);
  assert.equal(third.getSnapshot().status, "idle");
  assert.equal(creates(seen), 1);
});

test("a reload goes on with a create whose response was lost, with its key", async (t) => {
  let isLost = true;
  const keys = [];
  const { page } = tab(t, {
    "POST generate": (_, { headers }) => {
      keys.push(new Headers(headers).get("idempotency-key"));
      if (isLost) throw new TypeError("lost");
      return Response.json(mediagate.record("PROCESSING"));
    },
  });
  const first = (await page()).generate();
  const { reaches } = watch(t, first);
  assert.equal(await first.run({ prompt: "a boat" }), undefined);
  const { error } = await reaches("failed");
  assert.equal(error.outcome, "unknown");
  await first.run({ prompt: "a boat" });
  isLost = false;
  const second = (await page()).generate();
  await watch(t, second).reaches("running");
  assert.equal(new Set(keys).size, 1);
  assert.equal(keys.length, 3);
});

test("a reload an hour later goes on with an unfinished create only if somebody wants it", async (t) => {
  let isLost = true;
  const { page, seen } = tab(t, {
    "POST generate": () => {
      if (isLost) throw new TypeError("lost");
      return Response.json(mediagate.record("PROCESSING"));
    },
  });
  const first = (await page()).generate();
  watch(t, first);
  await first.run({ prompt: "a boat" });
  isLost = false;
  const [[name, text]] = session;
  const last = JSON.parse(text);
  session.set(name, JSON.stringify({ ...last, at: last.at - 3_600_001 }));
  const before = creates(seen);
  const second = (await page()).generate();
  const { reaches } = watch(t, second);
  const { error } = await reaches("failed");
  assert.deepEqual([error.code, error.outcome], ["aborted", "unknown"]);
  assert.equal(creates(seen), before);
  second.retry();
  await reaches("running");
  assert.equal(creates(seen), before + 1);
});

test("a refused create is an error, is not repeated by a reload, and its retry has another key", async (t) => {
  const refusal = {
    code: 1401,
    message: "no credits",
    data: { outcome: "rejected" },
  };
  const keys = [];
  const { page } = tab(t, {
    "POST generate": (_, { headers }) => {
      keys.push(new Headers(headers).get("idempotency-key"));
      return Response.json(refusal, { status: 402 });
    },
  });
  const generation = (await page()).generate();
  const { reaches } = watch(t, generation);
  await generation.run({ prompt: "a boat" });
  const { error } = await reaches("failed");
  assert.equal(error.code, "insufficient_credits");
  assert.equal(session.size, 0);
  generation.retry();
  await wait(50);
  assert.equal(new Set(keys).size, 2);
});

test("a task that fails is an error, also for an observer that comes later", async (t) => {
  const { state, page } = tab(t);
  const { generate } = await page();
  const generation = generate();
  const { reaches, end } = watch(t, generation);
  await generation.run({ prompt: "a boat" });
  state.task = "FAILED";
  const { error, state: last } = await reaches("failed");
  assert.deepEqual([error.code, last], ["task_failed", "FAILED"]);
  end();
  const { states } = watch(t, generate());
  await wait(30);
  const failed = states.filter(({ status }) => status === "failed");
  assert.ok(failed.length > 0 && failed.every(({ error }) => error));
});

test("a reload without a token shows the error, and a retry finds the task", async (t) => {
  const { page } = tab(t);
  const first = (await page()).generate();
  watch(t, first);
  await first.run({ prompt: "a boat" });
  const own = browser(t, {
    "GET tasks/": () => new Response("", { status: 404 }),
  });
  let isSignedIn = false;
  const { client } = await own.page(() => {
    if (isSignedIn) return "t";
    throw new Error("signed out");
  });
  const { store } = await page();
  const second = observeGeneration(client, "text_to_image", { store });
  const { reaches, until } = watch(t, second);
  assert.equal((await reaches("failed")).error.code, "token_failed");
  isSignedIn = true;
  second.retry();
  assert.equal((await until(({ snapshot }) => snapshot)).snapshot.id, "k");
});

test("after a reload, an equal input is the create that is found, with its key", async (t) => {
  let isLost = true;
  const keys = [];
  const { page } = tab(t, {
    "POST generate": (_, { headers }) => {
      keys.push(new Headers(headers).get("idempotency-key"));
      if (isLost) throw new TypeError("lost");
      return Response.json(mediagate.record("PROCESSING"));
    },
  });
  const first = (await page()).generate();
  watch(t, first);
  await first.run({ prompt: "a boat" }, { metadata: 7 });
  const second = (await page()).generate();
  const { states, reaches } = watch(t, second);
  const running = second.run({ prompt: "a boat" });
  await reaches("failed");
  assert.equal(await running, undefined);
  assert.ok(
    states.some(
      ({ status, metadata }) => status === "restoring" && metadata === 7,
    ),
  );
  isLost = false;
  await second.run({ prompt: "a boat" });
  await reaches("running");
  assert.equal(new Set(keys).size, 1);
});

test("a create that a reload has interrupted in its upload goes on by a retry an hour later", async (t) => {
  let isStuck = true;
  const { page } = tab(t, {
    "PUT ": () => (isStuck ? never() : new Response("")),
  });
  const open = async () => {
    const { client, store } = await page();
    const options = { store };
    return observeGeneration(client, "background_removal", options);
  };
  const first = await open();
  watch(t, first);
  void first.run({ file_id: file("a") });
  await wait(30);
  const [[name, text]] = session;
  const last = JSON.parse(text);
  session.set(name, JSON.stringify({ ...last, at: last.at - 3_600_001 }));
  isStuck = false;
  const second = await open();
  const { reaches } = watch(t, second);
  const { error } = await reaches("failed");
  assert.deepEqual([error.code, error.outcome], ["aborted", "not_sent"]);
  second.retry();
  await reaches("running");
  first.cancel();
});

test("a cancel ends a search for the last create, and a wait for the client", async (t) => {
  const { page, seen } = tab(t);
  const first = (await page()).generate();
  watch(t, first);
  await first.run({ prompt: "a boat" });
  const second = (await page()).generate();
  const { reaches } = watch(t, second);
  assert.equal(second.getSnapshot().status, "restoring");
  second.cancel();
  await reaches("cancelled");
  await wait(30);
  assert.equal(second.getSnapshot().status, "cancelled");

  const before = creates(seen);
  const { client } = await page();
  const connection = observeConnection(async () => {
    await wait(20);
    return client;
  }, AT);
  const third = observeGeneration(connection, "text_to_image", { store: null });
  watch(t, third);
  const running = third.run({ prompt: "a boat" });
  third.cancel();
  assert.equal(await running, undefined);
  await wait(50);
  const connected = third.run({ prompt: "a boat" });
  third.cancel();
  assert.equal(await connected, undefined);
  assert.equal(creates(seen), before);
});

test("bytes are equal only if they are the same object", async (t) => {
  const { seen, page } = tab(t);
  const { client } = await page();
  const options = { store: null };
  const generation = observeGeneration(client, "background_removal", options);
  watch(t, generation);
  for (const byte of [1, 2])
    await generation.run({ file_id: new Uint8Array([byte]).buffer });
  const posts = seen.lines.filter((line) => line.startsWith("POST process"));
  assert.equal(posts.length, 2);
});

test("a repetition sends the file that was sent, also of an equal data URI", async (t) => {
  let uploads = 0;
  const bodies = [];
  const { page } = tab(t, {
    "POST upload_urls": () => {
      uploads += 1;
      return ok({ file_id: `f${uploads}`, upload_url: "https://s.test/put" });
    },
    "POST process": (_, { body }) => {
      bodies.push(body);
      throw new TypeError("lost");
    },
  });
  const { client } = await page();
  const options = { store: null };
  const generation = observeGeneration(client, "background_removal", options);
  watch(t, generation);
  for (const _ of [1, 2])
    await generation.run({ file_id: { url: "data:image/png;base64,AAAA" } });
  assert.equal(bodies.length, 2);
  assert.equal(bodies[0], bodies[1]);
});

test("a listener that throws is reported, and does not end a create", async (t) => {
  const { page } = tab(t);
  const generation = (await page()).generate();
  watch(t, generation);
  const reported = [];
  // Browsers have it.
  globalThis.reportError = (error) => reported.push(error.message);
  t.after(() => Reflect.deleteProperty(globalThis, "reportError"));
  const end = generation.subscribe(() => {
    throw new Error("a defect of the page");
  });
  assert.equal((await generation.run({ prompt: "a boat" })).id, "k");
  end();
  assert.deepEqual([...new Set(reported)], ["a defect of the page"]);
});

test("a cancel before the create is sent costs nothing, and one after it leaves the task", async (t) => {
  const { seen, page } = tab(t, { "PUT ": never });
  const { client, store, generate } = await page();
  const upload = observeGeneration(client, "background_removal", { store });
  const first = watch(t, upload);
  const running = upload.run({ file_id: file("a") });
  await wait(30);
  upload.cancel();
  assert.equal(await running, undefined);
  assert.equal((await first.reaches("cancelled")).error, undefined);
  assert.deepEqual(await store.creates(client), []);
  assert.ok(seen.lines.every((line) => !line.startsWith("POST process")));

  const generation = generate();
  const { reaches } = watch(t, generation);
  await generation.run({ prompt: "a boat" });
  generation.cancel();
  await reaches("cancelled");
  assert.equal((await store.tasks(client)).length, 1);
  const before = seen.lines.length;
  await wait(30);
  assert.equal(seen.lines.length, before);
});

test("the last generation of a tab is not another user's", async (t) => {
  const own = browser(t, {
    "GET tasks/": () => new Response("", { status: 404 }),
  });
  const sign = (sub) =>
    `a.${btoa(JSON.stringify({ sub, iss: "https://app.test" }))}.c`;
  const open = async (sub) => {
    const { client, store } = await own.page(() => sign(sub));
    const generation = observeGeneration(client, "text_to_image", { store });
    return { generation, ...watch(t, generation) };
  };
  const ada = await open("ada");
  await ada.generation.run({ prompt: "a boat" });
  const ben = await open("ben");
  await wait(50);
  assert.equal(ben.generation.getSnapshot().status, "idle");
  const again = await open("ada");
  await again.until(({ snapshot }) => snapshot?.id === "k");
});

test("without a store, a generation works and is not restored", async (t) => {
  const { page } = tab(t);
  const generation = (await page()).generate({ store: null });
  watch(t, generation);
  assert.equal((await generation.run({ prompt: "a boat" })).id, "k");
  const second = (await page()).generate({ store: null });
  const { reaches } = watch(t, second);
  await reaches("idle");
});

test("a generation waits for its connection, and shows why there is none", async (t) => {
  const seen = mediagate.gateway();
  let isBroken = true;
  const connection = observeConnection(async (options) => {
    await wait(20);
    if (isBroken)
      throw new mediagate.MediagateError({
        code: "load_failed",
        message: "no",
      });
    return connect({ ...seen.options, ...options });
  }, AT);
  const generation = observeGeneration(connection, "text_to_image", {
    store: null,
  });
  const { until, reaches } = watch(t, generation);
  assert.equal(generation.getSnapshot().status, "connecting");
  assert.equal((await reaches("failed")).error.code, "load_failed");
  isBroken = false;
  const task = await generation.run({ prompt: "a boat" });
  assert.equal(task.id, "k");
  await until(({ status }) => status === "running");

  const none = observeGeneration(undefined, "text_to_image");
  watch(t, none);
  assert.equal(await none.run({ prompt: "a boat" }), undefined);
  assert.equal(none.getSnapshot().error.code, "not_loaded");
});

test("an upload shows its progress and its id, and ends with its last subscriber", async (t) => {
  const seen = mediagate.gateway();
  const media = await connect(seen.options);
  const observer = observeUpload(media);
  const { states, end } = watch(t, observer);
  assert.equal(await observer.upload(file("a")), "f");
  assert.deepEqual(
    [...new Set(states.map(({ status }) => status))],
    ["idle", "uploading", "done"],
  );
  const silent = observeUploads(
    await connect(mediagate.gateway({ "PUT ": never }).options),
  );
  const { end: leave } = watch(t, silent);
  const ids = silent.upload([file("b"), file("c")]);
  assert.equal(silent.getSnapshot().isUploading, true);
  leave();
  assert.deepEqual(await ids, [undefined, undefined]);
  assert.deepEqual(silent.getSnapshot().files, []);
  end();
});

test("a history is read page by page, and anew for another client", async (t) => {
  const page = (id, cursor) =>
    ok({
      tasks: [
        { id, capability: "text_to_image", created_at: "2026-01-01T00:00:00Z" },
      ],
      ...(cursor && { cursor }),
    });
  const client = async (name) =>
    connect({
      ...mediagate.gateway({
        "GET tasks": (seen) =>
          seen.lines.at(-1).includes("cursor")
            ? page(`${name}-2`)
            : page(`${name}-1`, "c"),
      }).options,
      token: () => "t",
    });
  const clients = [await client("a"), await client("b")];
  const connection = observeConnection(async () => clients.shift(), AT);
  const history = observeHistory(connection, { limit: 1 });
  const { until } = watch(t, history);
  const ids = () => history.getSnapshot().tasks.map(({ id }) => id);
  await until(({ hasMore }) => hasMore);
  // A list that is scrolled asks often.
  for (const _ of [1, 2, 3]) history.loadMore();
  await until(({ tasks }) => tasks.length === 2);
  assert.deepEqual(
    [ids(), history.getSnapshot().hasMore],
    [["a-1", "a-2"], false],
  );
  connection.retry();
  await until(({ tasks }) => tasks[0]?.id === "b-1");
  assert.deepEqual(ids(), ["b-1"]);
});

test("stored tasks are listed, and follow the store", async (t) => {
  const { page } = tab(t);
  const { client, media, store } = await page();
  const observer = observeStoredTasks(client, { store });
  const { until } = watch(t, observer);
  const task = await media.textToImage({ prompt: "a boat" });
  await until(({ tasks }) => tasks.length === 1);
  await store.forget(task);
  await until(({ tasks }) => tasks.length === 0);
});

test("the error of a store that does not open is shown", async (t) => {
  const { page } = tab(t);
  const { client } = await page();
  const store = Promise.reject(new DOMException("no", "UnknownError"));
  const { until } = watch(t, observeStoredTasks(client, { store }));
  assert.equal((await until(({ error }) => error)).error.name, "UnknownError");
});
