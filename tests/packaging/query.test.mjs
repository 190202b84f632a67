// mediagate/query in TanStack Query: in a page whose cache is persisted, on a server, and its
// types.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  dehydrate,
  hydrate,
  QueryClient,
  QueryObserver,
} from "@tanstack/react-query";
import { token } from "../support/token.mjs";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

// Long enough for a reload before the end.
const suited = suite({
  storage: true,
  stack: { flags: ["--task-seconds", "5"] },
});

let folder;
before(async () => {
  folder = await install("query", "query");
  await run(tool("vite"), ["build", "--logLevel", "warn"], folder);
});
after(() => remove(folder));

const open = async (t) => (await suited.visit(t, `${folder}/dist`)).page;

const consoleLines = async (page) =>
  (await page.lines()).filter((line) => !line.includes("React DevTools"));

const isShown = (state) =>
  document.querySelector(".task")?.textContent === state;

/** Runs in the page: tests if a task is shown that has not ended. */
const isRunning = () =>
  /QUEUED|RUNNING|PROCESSING/.test(
    document.querySelector(".task")?.textContent ?? "",
  );

/** Opens a page, and creates a task there that runs. */
async function withTask(t) {
  const page = await open(t);
  await page.shows("#count", "0 true");
  await page.click("button");
  await page.waitFor(isRunning);
  return page;
}

test("a page that is reloaded shows the running task at once, and then its result", async (t) => {
  const page = await withTask(t);
  await page.evaluate(() => localStorage.setItem("offline", ""));
  await page.reload();
  await page.waitFor(isRunning);
  assert.equal(await page.evaluate(() => globalThis.media), undefined);

  await page.evaluate(() => localStorage.removeItem("offline"));
  await page.reload();
  await page.waitFor(isShown, "SUCCEEDED");
  await page.find(".task[data-fetch=idle][data-methods='function function']");
  await page.shows("#count", "1 true");
  const states = await page.evaluate(() => globalThis.states);
  assert.match(states[0], /QUEUED|RUNNING|PROCESSING/);
  assert.deepEqual(await consoleLines(page), []);

  // The ended task is shown from the cache, and not read again.
  await page.evaluate(() => {
    globalThis.requests = [];
    const network = fetch;
    globalThis.fetch = (url, init) => {
      globalThis.requests.push(String(url));
      return network(url, init);
    };
    globalThis.show({ isShown: false });
  });
  await page.waitFor(() => !document.querySelector(".task"));
  await page.evaluate(() => globalThis.show({ isShown: true }));
  await page.waitFor(isShown, "SUCCEEDED");
  await page.find(".task[data-fetch=idle]");
  const requests = await page.evaluate(() => globalThis.requests);
  assert.deepEqual(
    requests.filter((url) => !new URL(url).pathname.endsWith("/tasks")),
    [],
  );
});

test("a component that is unmounted stops following, and follows again when it mounts", async (t) => {
  const page = await withTask(t);
  await page.evaluate(() => globalThis.show({ isShown: false }));
  await page.returns(() => globalThis.queryClient.isFetching(), 0);
  await page.evaluate(() => globalThis.show({ isShown: true }));
  await page.waitFor(isShown, "SUCCEEDED");
  assert.deepEqual(await consoleLines(page), []);
});

test("a component that suspends shows the running task, and follows it", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    const { media, show } = /** @type {any} */ (globalThis);
    show({ suspended: await media.textToImageTurbo({ prompt: "a boat" }) });
  });
  await page.find("#suspended");
  const state = await page.evaluate(
    () => document.querySelector("#suspended")?.textContent,
  );
  assert.match(state, /QUEUED|RUNNING|PROCESSING/);
  await page.shows("#suspended", "SUCCEEDED");
});

test("another user of the page sees nothing of the first one", async (t) => {
  const page = await withTask(t);
  await page.evaluate(async () => {
    const url = new URLSearchParams(location.search).get("gateway");
    // Without a stored session, the gateway opens one for another user.
    localStorage.clear();
    const media = await globalThis.connect({ url, turnstile: () => "x" });
    globalThis.show({ media, user: undefined });
  });
  await page.shows("#count", "0 true");
  await page.shows("#created", "idle");
  assert.equal(
    await page.evaluate(() => document.querySelector(".task")),
    null,
  );
});

/** Makes a client of the packed package in Node, and a task that runs. */
async function inNode() {
  const url = await suited.gateway();
  const dist = `${folder}/node_modules/mediagate/dist`;
  const { connect } = await import(`${dist}/node.js`);
  const options = await import(`${dist}/query.js`);
  const media = await connect({ url, token: token() });
  const task = await media.textToImageTurbo({ prompt: "a paper boat" });
  return { media, task, ...options };
}

/**
 * Makes a cache, which is emptied after its test.
 *
 * @returns {any} a `QueryClient`, whose data has no types here
 */
function cache(t) {
  const client = new QueryClient();
  t.after(() => client.clear());
  return client;
}

test("a server reads a running task once, and the page has its data without a request", async (t) => {
  const { media, task, taskQuery, historyQuery } = await inNode();
  const key = "alice";
  const options = taskQuery(media, task, { key });
  const server = cache(t);
  await server.prefetchQuery(options);
  assert.notEqual(server.getQueryData(options.queryKey).state, "SUCCEEDED");
  await task.done();
  await server.fetchQuery(options);
  await server.prefetchInfiniteQuery(historyQuery(media, { key }));
  const sent = JSON.stringify(dehydrate(server));

  const client = cache(t);
  hydrate(client, JSON.parse(sent));
  const observer = new QueryObserver(
    client,
    taskQuery(undefined, task, { key }),
  );
  /** @type {any} */
  const { data } = observer.getCurrentResult();
  assert.equal(data.state, "SUCCEEDED");
  assert.equal((await data.outputs[0].blob()).type, "image/png");
  const { queryKey } = historyQuery(undefined, { key });
  const [page] = client.getQueryData(queryKey).pages;
  assert.ok(page.tasks.some((entry) => entry.id === task.id));
});

test("a loader's read that a component joins goes on until the end", async (t) => {
  const { media, task, taskQuery } = await inNode();
  const options = taskQuery(media, task);
  const client = cache(t);
  const read = client.fetchQuery(options);
  const unsubscribe = new QueryObserver(client, options).subscribe(() => {});
  assert.equal((await read).state, "SUCCEEDED");
  unsubscribe();
});

test("TanStack Query infers the types", async () => {
  await run(tool("tsc"), ["--project", "."], folder);
});
