// The bucket that keeps results, with the credentials of the gateway's settings.
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
/** Milliseconds until a request to the bucket fails. */
const TIMEOUT_MS = 15_000;

/**
 * Returns the settings of the bucket that are missing.
 *
 * @param {Record<string, string>} settings
 */
export const missingForBucket = (settings) =>
  NEEDED.filter((name) => !settings[name]?.trim());

/**
 * @typedef {object} Sent
 * @property {string} [query] the part of a URL from its question mark
 * @property {string} [body]
 * @property {Record<string, string>} [headers]
 * @property {boolean} [presigned] true if the URL is signed, as the gateway does it, instead of the
 *   headers
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text
 * @property {string | undefined} problem the status with S3's code; `undefined` if the request
 *   succeeded
 */

/**
 * Makes a client of the bucket that the settings name.
 *
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
  return async (method, key, { query = "", body, headers, presigned } = {}) => {
    const url = `${base}${key && "/"}${key}${query}`;
    // The gateway signs a URL before it knows a page's headers, so the signature must not cover any
    // header.
    const signed = await client.sign(url, {
      method,
      ...(presigned ? { aws: { signQuery: true } } : { headers, body }),
    });
    const sent = new Headers(presigned ? headers : signed.headers);
    sent.set("user-agent", USER_AGENT);
    return answerOf(signed.url, { method, headers: sent, body }, signal);
  };
}

/** @returns {Promise<typeof import("aws4fetch")>} */
async function aws4fetch() {
  const file = join(DIST, "aws4fetch.js");
  if (!existsSync(file))
    throw new Failure("the gateway is not built; run `cargo xtask build`");
  return import(pathToFileURL(file).href);
}

/** Returns the bucket's URL without a slash at its end. */
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
    const signal = AbortSignal.any(signals.filter(Boolean));
    const response = await fetch(url, { ...init, redirect: "manual", signal });
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
