// Opens anonymous sessions.
import { request } from "./request.mjs";

/**
 * Requests an anonymous session for a page of this origin.
 *
 * @param {string} url the gateway's
 * @param {string} origin
 * @param {Record<string, string>} [headers] further ones
 */
export const openSession = (url, origin, headers) =>
  request(`${url}/session`, {
    method: "POST",
    bearer: null,
    headers: { origin, "x-mediagate": "1", ...headers },
  });

/** Resolves to the token of a new anonymous session. */
export const sessionToken = async (url, origin) =>
  (await openSession(url, origin)).data.session.token;
