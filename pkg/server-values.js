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
export const encode = (text) =>
  /** @type {Uint8Array<ArrayBuffer>} */ (encoder.encode(text));

/**
 * Returns whether a value is an object that may have named members. A list, a `Map` and a promise are not: a limit inside
 * them would not be read.
 *
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export const isRecord = (value) =>
  Object.prototype.toString.call(value) === "[object Object]";

/**
 * @param {unknown} value
 * @returns {value is string} whether it is a string that says something, and that every JSON parser reads
 */
export const isText = (value) =>
  typeof value === "string" &&
  !/^\p{White_Space}*$/u.test(value) &&
  !isBroken(value);

/**
 * Half of a surrogate pair: JSON can write it, and the gateway's parser refuses it.
 *
 * @param {string} text
 */
const isBroken = (text) => /\p{Surrogate}/u.test(text);

/**
 * Reads the known members of an object by name, and each of them once. Spreading the object would skip members that are
 * inherited or not enumerable, such as the getters of a class. Members that are `undefined` are left out.
 *
 * @param {Record<string, unknown>} object
 * @param {readonly string[]} known
 * @returns {Record<string, any>}
 */
export const membersOf = (object, known) =>
  Object.fromEntries(
    known
      .map((name) => [name, object[name]])
      .filter(([, value]) => value !== undefined),
  );

/**
 * Returns the name of an object's first member that is not known, or `undefined` if there is none. A member that is ignored
 * could be a misspelt limit. Inherited members count too, since {@link membersOf} reads them.
 *
 * @param {object} object
 * @param {readonly string[]} known
 */
export function unknownMember(object, known) {
  for (let owner = object; owner; owner = Object.getPrototypeOf(owner)) {
    const isInherited = owner !== object;
    for (const [name, property] of Object.entries(
      Object.getOwnPropertyDescriptors(owner),
    )) {
      const isMember = property.enumerable || property.get;
      if (
        isMember &&
        !known.includes(name) &&
        !(isInherited && isOfPrototype(name, property))
      )
        return name;
    }
  }
  return undefined;
}

/**
 * Returns whether a property is one that prototypes have and no option. Methods are enumerable if a compiler for ES5 wrote
 * the class.
 *
 * @param {string} name
 * @param {PropertyDescriptor} property
 */
const isOfPrototype = (name, { value }) =>
  name === "__proto__" || typeof value === "function";

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
  crypto.subtle.importKey(
    "raw",
    bytes,
    { name: "HMAC", hash: "SHA-256" },
    false,
    [usage],
  );
