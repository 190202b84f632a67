// The package's entry for servers, in Node.
import assert from "node:assert/strict";
import catalogue from "../../dist/catalogue.json" with { type: "json" };
import * as entry from "../../server.js";

/**
 * The exports of `mediagate/server`, and the names of the catalogue's capabilities. Tests pass what their types forbid.
 *
 * @type {any}
 */
export const server = {
  ...entry,
  names: catalogue.capabilities.map((it) => it.name),
};

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
