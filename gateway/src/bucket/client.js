// The bucket for results and uploads, with the credentials of the gateway's settings.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "../failure.js";
import { loadOperator } from "../operator.js";
import { DIST } from "../package.js";
import { USER_AGENT } from "../user-agent.js";

/** The settings without which there is no client of the bucket. `RESULTS_REGION` has a default. */
const NEEDED = [
  "RESULTS_BUCKET_URL",
  "RESULTS_ACCESS_KEY_ID",
  "RESULTS_SECRET_ACCESS_KEY",
];
const TIMEOUT_MS = 15_000;
const OWN = { "user-agent": USER_AGENT };

/** @param {Record<string, string>} settings */
export const missingForBucket = (settings) =>
  NEEDED.filter((name) => !settings[name]?.trim());

/**
 * @typedef {object} Sent
 * @property {string} [query] the part of a URL from its question mark
 * @property {string} [body]
 * @property {Record<string, string>} [headers]
 * @property {"headers" | "url" | "url and headers" | "nothing"} [signed] the place of the signature.
 *   `url`: in the URL, for any headers, as the gateway signs requests for results. `url and headers`:
 *   in the URL, for these headers, as the gateway signs uploads. `nothing`: there is none, as in a
 *   browser's preflight [default: headers]
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text
 * @property {string | undefined} problem the status with S3's code; `undefined` if the request
 *   succeeded
 */

/**
 * @param {Record<string, string>} settings in which nothing is missing
 * @param {AbortSignal} [signal] ends all requests
 * @returns {Promise<(method: string, key: string, sent?: Sent) => Promise<Answer>>} sends a request
 *   for the object with this key, or for the bucket if the key is empty. It rejects with a
 *   `Failure` if the bucket can't be reached
 */
export async function bucketClient(settings, signal) {
  const { AwsClient } = await aws4fetch();
  const { bucketRegion } = await loadOperator();
  const base = urlOf(settings.RESULTS_BUCKET_URL.trim());
  const client = new AwsClient({
    accessKeyId: settings.RESULTS_ACCESS_KEY_ID.trim(),
    secretAccessKey: settings.RESULTS_SECRET_ACCESS_KEY.trim(),
    region: bucketRegion(settings.RESULTS_BUCKET_URL, settings.RESULTS_REGION),
    service: "s3",
  });
  return async (
    method,
    key,
    { query = "", body, headers, signed = "headers" } = {},
  ) => {
    const url = `${base}${key && "/"}${key}${query}`;
    if (signed === "headers") {
      const request = await client.sign(url, { method, headers, body });
      const init = { method, headers: request.headers, body };
      return answerOf(url, init, signal);
    }
    const init = { method, headers, body };
    if (signed === "nothing") return answerOf(url, init, signal);
    const request = await client.sign(url, {
      method,
      // Without `allHeaders`, the library leaves out the type and the length.
      ...(signed === "url and headers"
        ? { headers, aws: { signQuery: true, allHeaders: true } }
        : { aws: { signQuery: true } }),
    });
    return answerOf(request.url, init, signal);
  };
}

/** @returns {Promise<typeof import("aws4fetch")>} */
async function aws4fetch() {
  const file = join(DIST, "aws4fetch.js");
  if (!existsSync(file))
    throw new Failure("the gateway is not built; run `cargo xtask build`");
  return import(pathToFileURL(file).href);
}

function urlOf(text) {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Failure(
      "RESULTS_BUCKET_URL is no URL; give one such as https://s3.example.com/my-bucket",
    );
  return text.replace(/\/+$/, "");
}

/** @returns {Promise<Answer>} */
async function answerOf(url, init, ending) {
  try {
    const signals = [AbortSignal.timeout(TIMEOUT_MS), ending];
    const response = await fetch(url, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...OWN },
      redirect: "manual",
      signal: AbortSignal.any(signals.filter(Boolean)),
    });
    const { status, headers } = response;
    const text = await response.text();
    const [, code] = /<Code>(\w{1,64})<\/Code>/.exec(text) ?? [];
    const problem = response.ok
      ? undefined
      : [status, code].filter(Boolean).join(" ");
    return { status, headers, text, problem };
  } catch (error) {
    const { cause, name } = /** @type {any} */ (error);
    // The error's own message may have the URL with its signature.
    throw new Failure(
      `the bucket of RESULTS_BUCKET_URL can't be reached (${cause?.code ?? name}); ` +
        "check the address, and whether its host is up",
    );
  }
}
