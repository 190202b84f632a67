// Checks that session tokens and webhooks have in common.

import { createError } from "./error.js";

/** @param {string} message */
export const invalid = (message) => createError("invalid_argument", message);

const encoder = new TextEncoder();

/**
 * UTF-8.
 *
 * @param {string} text
 */
export const encode = (text) => /** @type {Uint8Array<ArrayBuffer>} */ (encoder.encode(text));

/**
 * Whether a value is an object whose members can be listed: no list, and no `Map`, whose entries are no members.
 *
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export const isRecord = (value) => Object.prototype.toString.call(value) === "[object Object]";

/**
 * @param {unknown} value
 * @returns {value is string} whether it is a string that says something, and that every JSON parser reads
 */
export const isText = (value) => typeof value === "string" && !/^\p{White_Space}*$/u.test(value) && !isBroken(value);

/**
 * Half of a surrogate pair: JSON can write it, and the gateway's parser refuses it.
 *
 * @param {string} text
 */
const isBroken = (text) => /\p{Surrogate}/u.test(text);

/**
 * The first member of an object that is none of these; `undefined` where there is none. A member that is ignored could be a
 * misspelt limit.
 *
 * @param {object} object
 * @param {readonly string[]} known
 */
export const unknownMember = (object, known) => Object.keys(object).find((it) => !known.includes(it));

/**
 * The keys of a secret, which the gateway's settings separate by commas, the current one first. White space is the
 * gateway's, which differs from that of `trim`.
 *
 * @param {string} secret
 */
export const keysOf = (secret) =>
  secret
    .split(",")
    .map((it) => it.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ""))
    .filter(Boolean);

/**
 * A key for HMAC with SHA-256.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {"sign" | "verify"} usage
 */
export const hmacKey = (bytes, usage) =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [usage]);
