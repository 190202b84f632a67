// The packed package in Node, and a gateway that the test scripts in the place of `fetch`: no network, no browser.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { install, pack, remove } from "./install.mjs";

/**
 * The exports of the package, of its reader of events and of the scripted gateway, once the tests run; `folder` is the
 * project that has them.
 *
 * @param {string} name
 * @param {...string} sources further fixtures of the project
 */
export function packaged(name, ...sources) {
  /** @type {any} */
  const loaded = {};
  before(async () => {
    loaded.folder = await install(name, "plain", ...sources);
    for (const file of [
      "node_modules/mediagate/node.js",
      "node_modules/mediagate/dist/events.js",
      "scripted.js",
    ]) {
      Object.assign(loaded, await import(`${loaded.folder}/${file}`));
    }
  });
  after(async () => {
    await remove(loaded.folder);
    await remove((await pack()).folder);
  });
  return loaded;
}

/** The error of a promise that must reject, which must be the package's. */
export const failure = (promise) =>
  promise.then(assert.fail, (error) => {
    assert.equal(error?.name, "MediagateError", error);
    return error;
  });

/** The number of timers that are under way. */
export const timers = () =>
  process.getActiveResourcesInfo().filter((it) => it === "Timeout").length;

/** A value for messages, such as NaN, which JSON does not have. */
export const shown = (value) =>
  typeof value === "number" ? String(value) : JSON.stringify(value);
