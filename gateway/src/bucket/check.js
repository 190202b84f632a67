// Tries the bucket for results and uploads, in the ways that the gateway and a page use it.
import { randomUUID } from "node:crypto";
import { Failure } from "../failure.js";
import { bucketClient, missingForBucket } from "./client.js";

/** @typedef {{ is_error: boolean, line: string }} Finding in the form of the doctor's findings */

const CONTENT = "A test of the bucket's settings. It can be removed.";

/**
 * Stores, reads and removes an object, with `UPLOAD_MODE=bucket` also one of a page, and returns what
 * is wrong with the bucket.
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
    const send = await bucketClient(settings, signal);
    const findings = await tryResult(send, settings);
    const isForUploads = settings.UPLOAD_MODE?.trim() === "bucket";
    // A wrong key or region would be reported twice.
    if (!isForUploads || findings.some((finding) => finding.is_error))
      return findings;
    return [...findings, ...(await tryUpload(send, settings))];
  } catch (problem) {
    if (problem instanceof Failure) return [error(problem.message)];
    throw problem;
  }
}

/** @returns {Promise<Finding[]>} */
async function tryResult(send, settings) {
  const key = `results/test-${randomUUID()}`;
  const stored = await send("PUT", key, {
    signed: "url",
    headers: { "content-type": "text/plain" },
    body: CONTENT,
  });
  if (stored.problem) return [error(describeRefusal("store", stored.problem))];
  const origin = originOf(settings);
  const read = await send("GET", key, {
    signed: "url",
    headers: { origin },
  });
  const removed = await send("DELETE", key, { signed: "url" });
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
 * Uploads an object as a page does it: after a preflight, by a URL whose signature covers the type and
 * the length of the file.
 */
async function tryUpload(send, settings) {
  const key = `uploads/test-${randomUUID()}`;
  const origin = pageOf(settings);
  const preflight = await send("OPTIONS", key, {
    signed: "nothing",
    headers: {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type",
    },
  });
  const findings = mayUpload(preflight, origin) ? [] : [error(NO_UPLOADS)];
  const stored = await send("PUT", key, {
    signed: "url and headers",
    headers: {
      "content-type": "text/plain",
      "content-length": String(CONTENT.length),
    },
    body: CONTENT,
  });
  if (stored.problem)
    return [...findings, error(describeUpload(stored.problem))];
  const removed = await send("DELETE", key, { signed: "url" });
  if (removed.problem)
    findings.push(
      note(
        `the object ${key} stays (${removed.problem}); remove it, ` +
          "or let the bucket's lifecycle rule for uploads/ do it",
      ),
    );
  return findings;
}

/** Returns the origin of a page that uploads: the first one that is listed without a star. */
function pageOf({ ALLOWED_ORIGINS: list = "" }) {
  const origins = list.split(",").map((origin) => origin.trim());
  return origins.find((origin) => origin && !origin.includes("*")) ?? "null";
}

const mayUpload = ({ problem, headers }, origin) =>
  !problem &&
  isReadable(headers, origin) &&
  lists(headers, "access-control-allow-methods", "put") &&
  lists(headers, "access-control-allow-headers", "content-type");

function lists(headers, name, word) {
  const words = (headers.get(name) ?? "").toLowerCase().split(/\s*,\s*/);
  return words.includes(word) || words.includes("*");
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

const NO_UPLOADS =
  "pages can't upload to the bucket of RESULTS_BUCKET_URL: its CORS does not allow a PUT with a " +
  "content-type; set it with `npx mediagate-gateway bucket-cors`, which says what to do if the " +
  "bucket has rules already";

const describeUpload = (problem) =>
  `the bucket of RESULTS_BUCKET_URL refuses an upload whose signature covers its type and length ` +
  `(${problem}), so UPLOAD_MODE=bucket does not work; ` +
  "check that RESULTS_ACCESS_KEY_ID may write objects under uploads/, " +
  "and that no proxy before the bucket changes these headers";

const error = (text) => ({ is_error: true, line: `error: ${text}` });
const note = (text) => ({ is_error: false, line: `note: ${text}` });
