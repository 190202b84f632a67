// Sends requests to a gateway, and reads each response to its end.
import { setTimeout as sleep } from "node:timers/promises";
import { token } from "./token.mjs";

/**
 * @typedef {object} RequestOptions
 * @property {string | null} [bearer] the session token; `null` sends none
 * @property {string} [method] by default `POST` if there is a body, else `GET`
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] sent as JSON unless it is a string
 * @property {AbortSignal} [signal]
 *
 * @typedef {{
 *   status: number,
 *   headers: Headers,
 *   text: string,
 *   code: any,
 *   data: any,
 *   [member: string]: any,
 * }} Reply
 */

/**
 * Sends a request. Redirects are not followed. A `GET` is sent again if its connection was closed.
 *
 * @param {string} url
 * @param {RequestOptions} [options]
 * @returns {Promise<Reply>} with the members of the body, if it is a JSON object
 */
export async function request(
  url,
  { bearer = token(), method, headers, body, signal } = {},
) {
  const verb = method ?? (body === undefined ? "GET" : "POST");
  const send = () =>
    fetch(url, {
      method: verb,
      redirect: "manual",
      headers: {
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      body:
        body === undefined || typeof body === "string"
          ? /** @type {string} */ (body)
          : JSON.stringify(body),
      signal,
    });
  const response = await (verb === "GET" ? onOpenConnection(send) : send());
  const text = await response.text();
  return {
    .../** @type {any} */ (text.startsWith("{") && JSON.parse(text)),
    status: response.status,
    headers: response.headers,
    text,
  };
}

/** The error codes of a connection that the server has closed. */
const CLOSED = ["ECONNRESET", "UND_ERR_SOCKET"];

/**
 * Sends a request again if its connection was closed, as browsers do. workerd closes connections
 * that are idle for five seconds. On a busy machine, `fetch` may use such a connection before it
 * notices, so the retries wait until all of them are closed.
 *
 * @template T
 * @param {() => Promise<T>} send
 */
export async function onOpenConnection(send) {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await send();
    } catch (error) {
      const { cause } = /** @type {any} */ (error);
      if (attempts === 4 || !CLOSED.includes(cause?.code)) throw error;
      await sleep(200);
    }
  }
}
