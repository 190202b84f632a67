// The package of the checkout in Node, with a scripted gateway as `fetch`: no network, no browser.
import assert from "node:assert/strict";
import * as scripted from "../../../tests/packaging/fixtures/plain/scripted.js";
import * as node from "../../dist/node.js";

/**
 * The exports of the package and of the scripted gateway. Tests pass values that their types
 * forbid.
 *
 * @type {any}
 */
export const mediagate = { ...node, ...scripted };

/** Resolves to the error of a promise that must reject with an error of the package. */
export const failure = (promise) =>
  promise.then(assert.fail, (error) => {
    assert.equal(error?.name, "MediagateError", error);
    return error;
  });

/** Returns the number of pending timers. */
export const timers = () =>
  process.getActiveResourcesInfo().filter((resource) => resource === "Timeout")
    .length;

/** Formats a value for messages, including those that JSON does not have, such as NaN. */
export const shown = (value) =>
  typeof value === "number" ? String(value) : JSON.stringify(value);
