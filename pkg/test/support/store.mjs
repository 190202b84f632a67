// Stores with an IndexedDB in memory.
import "fake-indexeddb/auto";
import { openDB } from "idb";
import { openStore } from "../../dist/store.js";
import { mediagate } from "./client.mjs";

export const never = () => new Promise(() => {});

export const file = (text = "x", type = "image/png") =>
  new File([text], "a.png", { type });

let databases = 0;

/**
 * Makes a browser with a gateway of these routes, and a database of its own. `page` opens a store as
 * another page does, and makes a client that the store keeps. `tokens` has those of all requests.
 */
export function browser(t, routes, options) {
  const name = `store-${++databases}`;
  const seen = mediagate.gateway(routes);
  const tokens = [];
  const fetch = (url, init) => {
    tokens.push(new Headers(init.headers).get("authorization"));
    return seen.fetch(url, init);
  };
  const page = async (/** @type {unknown} */ token = "t") => {
    const errors = [];
    const onError = (error) => errors.push(error);
    const store = await openStore({ name, onError, ...options });
    t.after(() => store.close());
    const given = { ...seen.options, fetch, token, maxRetries: 0 };
    const client = await mediagate.connect(given);
    /** @type {any} */
    const media = store.keep(client);
    return { store, client, media, errors };
  };
  return { name, seen, tokens, page };
}

/** Makes a browser, and opens its first page. */
export async function kept(t, routes = {}, options = {}) {
  const own = browser(t, routes, options);
  return { ...own, ...(await own.page()) };
}

/** Makes the routes of a storage that is out of reach until `state.isBroken` is false. */
export function brokenStorage() {
  const state = { isBroken: true, text: "" };
  const routes = {
    "PUT ": async (_, { body }) => {
      if (state.isBroken) throw new TypeError("lost");
      state.text = await body.text();
      return new Response("");
    },
  };
  return { state, routes };
}

export async function changeRows(name, table, changed) {
  const database = await openDB(name);
  for (const row of await database.getAll(table))
    await database.put(table, { ...changed(row), version: Math.random() });
  database.close();
}

/** Gives the process the locks of a browser during a test. */
export function lendLocks(t, locks) {
  const real = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const lent = { value: { locks }, configurable: true };
  Object.defineProperty(globalThis, "navigator", lent);
  t.after(() => {
    if (real) Object.defineProperty(globalThis, "navigator", real);
    else Reflect.deleteProperty(globalThis, "navigator");
  });
}

/** Gives the process the locks that the tabs of a browser share. */
export function lendTabLocks(t) {
  const queues = new Map();
  const locks = {
    query: async () => ({ held: [...queues.keys()].map((name) => ({ name })) }),
    request: (name, { signal }, work) => {
      const before = queues.get(name) ?? Promise.resolve();
      const own = before.then(async () => {
        signal?.throwIfAborted();
        return work();
      });
      const end = own.catch(() => {}).then(() => queues.delete(name));
      queues.set(name, end);
      return own;
    },
  };
  lendLocks(t, locks);
}
