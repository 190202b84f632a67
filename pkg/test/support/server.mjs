// The package's entry for servers, in Node.
import assert from "node:assert/strict";
import catalogue from "../../dist/catalogue.json" with { type: "json" };
import * as entry from "../../dist/server.js";

/**
 * The exports of `mediagate/server`, and the names of the catalogue's capabilities. Tests pass
 * values that their types forbid.
 *
 * @type {any}
 */
export const server = {
  ...entry,
  names: catalogue.capabilities.map((capability) => capability.name),
};

export const rejection = (promise, what = "it must reject") =>
  promise.then(
    () => assert.fail(what),
    (error) => error,
  );

/** Makes an instance of a class with a getter for each member, and with a method. */
export function instance(members) {
  class Row {
    save() {}
  }
  for (const name of Object.keys(members)) {
    Object.defineProperty(Row.prototype, name, { get: () => members[name] });
  }
  return new Row();
}
