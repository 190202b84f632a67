// The packed package's entry for servers, in Node.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { install, pack, remove } from "./install.mjs";

/**
 * The exports of `mediagate/server` and the names of the catalogue's capabilities, once the tests run.
 *
 * @param {string} name of the project
 */
export function packagedServer(name) {
  /** @type {any} */
  const loaded = {};
  before(async () => {
    loaded.folder = await install(name);
    const modules = `${loaded.folder}/node_modules/mediagate`;
    Object.assign(loaded, await import(`${modules}/server.js`));
    const { default: catalogue } = await import(
      `${modules}/dist/catalogue.json`,
      { with: { type: "json" } }
    );
    loaded.names = catalogue.capabilities.map((it) => it.name);
  });
  after(async () => {
    await remove(loaded.folder);
    await remove((await pack()).folder);
  });
  return loaded;
}

/** The error that a promise must reject with. */
export const rejection = (promise, what = "it must reject") =>
  promise.then(
    () => assert.fail(what),
    (error) => error,
  );

/** A whole number below a limit. */
export const below = (limit) => Math.floor(Math.random() * limit);

/** One of a list. */
export const one = (list) => list[below(list.length)];
