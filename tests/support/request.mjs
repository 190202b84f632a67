// A request to a gateway, with the response read to its end.
import { setTimeout as sleep } from "node:timers/promises";
import { token } from "./token.mjs";

/**
 * @typedef {{ bearer?: string | null, method?: string, headers?: Record<string, string>, body?: unknown, signal?: AbortSignal }} RequestOptions
 * @typedef {{ status: number, headers: Headers, text: string, [member: string]: any }} Reply
 */

/**
 * Sends a request: `POST` if it has a body, unless `method` says otherwise. A body that is not a string is sent as JSON.
 * `bearer: null` sends no token. Redirects are not followed.
 * A `GET` is sent again, as a browser does, after a reset: workerd closes idle connections, which `fetch` may be using again. It waits until all of them are closed.
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
    ...(text.startsWith("{") && JSON.parse(text)),
    status: response.status,
    headers: response.headers,
    text,
  };
}

/** The codes of a connection that the server has closed. */
const CLOSED = ["ECONNRESET", "UND_ERR_SOCKET"];

/**
 * Sends a request again, as browsers do, when its connection was closed. workerd closes connections that are idle for five
 * seconds, and on a busy machine `fetch` uses one of them before it sees that.
 *
 * @param {() => Promise<Response>} send
 */
async function onOpenConnection(send) {
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
