// A client that sends single messages, valid or not, and returns all that the server sends back.
import assert from "node:assert/strict";
import { token } from "../../support/token.mjs";

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
export const TASKS = "io.modelcontextprotocol/tasks";

/**
 * @typedef {object} Options
 * @property {string | null} [bearer]
 * @property {Record<string, string | null>} [headers]
 * @property {AbortSignal} [signal]
 * @property {unknown} [id]
 *
 * @typedef {Options & { capabilities?: object, meta?: object }} ModernOptions
 * @typedef {{ status: number, headers: Headers, messages: any[], last: any }} Reply
 */

/**
 * Sends a body to `/mcp`. A header that is `null` or empty is not sent.
 *
 * @param {string} url
 * @param {unknown} body
 * @param {Options} [options]
 * @returns {Promise<Reply>} `messages` is the response, or the data of the events in order; `last`
 *   is the last one
 */
export async function post(
  url,
  body,
  { bearer = token(), headers = {}, signal } = {},
) {
  const all = {
    authorization: bearer && `Bearer ${bearer}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const sent = Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== null && value !== ""),
  );
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: sent,
    body: text,
    signal,
  });
  const received = await response.text();
  const events = response.headers.get("content-type") === "text/event-stream";
  const parts = events
    ? received
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => line.slice(6))
    : [received].filter(Boolean);
  const messages = parts.map((part) => JSON.parse(part));
  return {
    status: response.status,
    headers: response.headers,
    messages,
    last: messages.at(-1),
  };
}

/**
 * Sends a request of the protocol's versions up to 2025-11-25.
 *
 * @param {string} url
 * @param {string} method
 * @param {any} [params]
 * @param {Options} [options]
 */
export function legacy(url, method, params, options = {}) {
  const headers = { "mcp-protocol-version": LEGACY, ...options.headers };
  return post(
    url,
    { jsonrpc: "2.0", id: options.id ?? 1, method, ...(params && { params }) },
    { ...options, headers },
  );
}

/**
 * Sends a request of the protocol's versions from 2026-07-28 on. `capabilities` and `meta` go into
 * its `_meta`.
 *
 * @param {string} url
 * @param {string} method
 * @param {any} [params]
 * @param {ModernOptions} [options]
 */
export function modern(
  url,
  method,
  params = {},
  { capabilities = {}, meta = {}, id = 1, ...options } = {},
) {
  const name = params.name ?? params.taskId;
  const headers = {
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(name && { "mcp-name": name }),
    ...options.headers,
  };
  const described = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...meta,
  };
  return post(
    url,
    { jsonrpc: "2.0", id, method, params: { ...params, _meta: described } },
    { ...options, headers },
  );
}

/**
 * Calls a tool by its name without the prefix, and returns its result.
 *
 * @param {string} url
 * @param {string} tool
 * @param {unknown} [input]
 * @param {ModernOptions & { send?: typeof modern | typeof legacy }} [options]
 */
export async function call(
  url,
  tool,
  input,
  { send = legacy, meta, ...options } = {},
) {
  const params = { name: `mediagate_${tool}`, arguments: input };
  const response = await (send === modern
    ? modern(url, "tools/call", params, { meta, ...options })
    : legacy(
        url,
        "tools/call",
        { ...params, ...(meta && { _meta: meta }) },
        options,
      ));
  if (!response.last?.result)
    throw new Error(
      `${tool}: ${response.status} ${JSON.stringify(response.last)}`,
    );
  return { ...response.last.result, messages: response.messages };
}

/** Returns the refusal in a tool's result, as a model reads it. */
export function refusal(result) {
  assert.ok(result.isError, JSON.stringify(result));
  return JSON.parse(result.content[0].text);
}
