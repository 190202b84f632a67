// The package of the checkout in Node, and a gateway that the test scripts in the place of `fetch`: no network, no browser.
import assert from "node:assert/strict";
import * as scripted from "../../../tests/packaging/fixtures/plain/scripted.js";
import * as node from "../../dist/node.js";

/**
 * The exports of the package and of the scripted gateway. Tests pass what their types forbid.
 *
 * @type {any}
 */
export const mediagate = { ...node, ...scripted };

/** The error of a promise that must reject, which must be the package's. */
export const failure = (promise) =>
  promise.then(assert.fail, (error) => {
    assert.equal(error?.name, "MediagateError", error);
    return error;
  });

/** The number of timers that are under way. */
export const timers = () =>
  process.getActiveResourcesInfo().filter((resource) => resource === "Timeout")
    .length;

/** A value for messages, such as NaN, which JSON does not have. */
export const shown = (value) =>
  typeof value === "number" ? String(value) : JSON.stringify(value);
