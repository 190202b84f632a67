// The package of the checkout in Node, with a scripted gateway as `fetch`: no network, no browser.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import * as scripted from "../../../tests/packaging/fixtures/plain/scripted.js";
import { listen } from "../../../tests/support/listen.mjs";
import * as node from "../../dist/node.js";

/**
 * The exports of the package and of the scripted gateway. Tests pass values that their types
 * forbid.
 *
 * @type {any}
 */
export const mediagate = { ...node, ...scripted };

export const connect = (options) =>
  mediagate.connect({ url: mediagate.URL_OF_GATEWAY, token: "t", ...options });

export async function client(routes = {}, options = {}) {
  const seen = mediagate.gateway(routes);
  return { seen, media: await connect({ ...seen.options, ...options }) };
}

export const ok = (data) => Response.json({ code: 0, message: "ok", data });

/** Returns the refusal of a request for something that does not exist. */
export const notFound = () =>
  Response.json({ code: 12, message: "none" }, { status: 404 });

export const uploadUrl = (more = {}) =>
  ok({ file_id: "f", upload_url: "https://storage.test/put", ...more });

/**
 * Resolves to the error of a promise that must reject with an error of the package.
 *
 * @param {Promise<unknown>} promise
 * @param {string} [code] the code of the error
 * @param {string} [outcome] its outcome
 */
export async function failure(promise, code, outcome) {
  /** @type {any} */
  const error = await promise.then(
    () => assert.fail("it must reject"),
    (error) => error,
  );
  assert.equal(error?.name, "MediagateError", error);
  if (code) assert.equal(error.code, code, error.message);
  if (outcome) assert.equal(error.outcome, outcome, error.message);
  return error;
}

export const textOf = ({ message, hint }) =>
  hint === undefined ? message : `${message}; ${hint}`;

/** Starts a server of Node, which is closed after the test. Returns its URL. */
export async function serve(t, respond) {
  const server = createServer(respond);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

export const timers = () =>
  process.getActiveResourcesInfo().filter((resource) => resource === "Timeout")
    .length;

/** Formats a value for messages, including those that JSON does not have, such as NaN. */
export const shown = (value) =>
  typeof value === "number" ? String(value) : JSON.stringify(value);
