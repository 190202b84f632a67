// Tries the bucket that keeps results, in the ways that the gateway and a page use it.
import { randomUUID } from "node:crypto";
import { Failure } from "../failure.js";
import { bucketClient, missingForBucket } from "./client.js";

/** @typedef {{ is_error: boolean, line: string }} Finding in the form of the doctor's findings */

const CONTENT = "A test of the bucket's settings. It can be removed.";

/**
 * Stores, reads and removes an object, and returns what is wrong with the bucket.
 *
 * @param {Record<string, string>} settings
 * @param {AbortSignal} [signal] ends the check
 * @returns {Promise<Finding[]>} none if there is no bucket
 */
export async function checkBucket(settings, signal) {
  if (!settings.RESULTS_BUCKET_URL?.trim()) return [];
  const missing = missingForBucket(settings);
  if (missing.length > 0)
    return [
      note(
        "the bucket of RESULTS_BUCKET_URL was not tried; " +
          `set ${missing.join(" and ")} in the environment to try it`,
      ),
    ];
  try {
    return await tryBucket(settings, signal);
  } catch (problem) {
    if (problem instanceof Failure) return [error(problem.message)];
    throw problem;
  }
}

/** @returns {Promise<Finding[]>} */
async function tryBucket(settings, signal) {
  const send = await bucketClient(settings, signal);
  const key = `results/test-${randomUUID()}`;
  const stored = await send("PUT", key, {
    presigned: true,
    headers: { "content-type": "text/plain" },
    body: CONTENT,
  });
  if (stored.problem) return [error(describeRefusal("store", stored.problem))];
  const origin = originOf(settings);
  const read = await send("GET", key, {
    presigned: true,
    headers: { origin },
  });
  const removed = await send("DELETE", key, { presigned: true });
  const findings = [];
  if (read.problem) findings.push(error(describeRefusal("read", read.problem)));
  else if (read.text !== CONTENT)
    findings.push(
      error(
        "the bucket of RESULTS_BUCKET_URL returns another object than the stored one; " +
          "check the address",
      ),
    );
  else if (!isReadable(read.headers, origin)) findings.push(error(NO_CORS));
  if (removed.problem)
    findings.push(
      error(
        `${describeRefusal("remove", removed.problem)} The object ${key} stays`,
      ),
    );
  return findings;
}

/**
 * Returns the origin that a browser sends to the bucket. After the gateway's redirect it is `null`,
 * unless the page has the gateway's own origin.
 */
function originOf({ PUBLIC_URL: url = "", ALLOWED_ORIGINS: list = "" }) {
  const own = URL.canParse(url) ? new URL(url).origin : undefined;
  const pages = list.split(",").map((origin) => origin.trim());
  return own && pages.every((page) => page === own) ? own : "null";
}

const isReadable = (headers, origin) =>
  ["*", origin].includes(headers.get("access-control-allow-origin") ?? "");

const describeRefusal = (verb, problem) =>
  `RESULTS_ACCESS_KEY_ID may not ${verb} objects in the bucket of RESULTS_BUCKET_URL ` +
  `(${problem}); check RESULTS_SECRET_ACCESS_KEY and RESULTS_REGION, ` +
  "and that the key may read, write and delete objects there.";

const NO_CORS =
  "pages can't read the bucket of RESULTS_BUCKET_URL: it does not allow every origin, " +
  "and a browser that follows the gateway's redirect sends `Origin: null`; " +
  "set its CORS with `npx mediagate-gateway bucket-cors`";

const error = (text) => ({ is_error: true, line: `error: ${text}` });
const note = (text) => ({ is_error: false, line: `note: ${text}` });
