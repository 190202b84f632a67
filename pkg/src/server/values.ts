// Checks that session tokens and webhooks have in common.

import { MediagateError } from "../error.js";

export type Members = Record<string, unknown>;

export const invalid = (message: string): MediagateError =>
  new MediagateError({ code: "invalid_argument", message });

export const encode = (text: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(text);

/**
 * Returns true for an object that may have named members. Lists, maps and promises are refused: a
 * limit inside them would not be read.
 */
export const isRecord = (value: unknown): value is Members =>
  Object.prototype.toString.call(value) === "[object Object]";

/** Returns true for a string that is not blank, and that every JSON parser reads. */
export const isText = (value: unknown): value is string =>
  typeof value === "string" &&
  !/^\p{White_Space}*$/u.test(value) &&
  // Half of a surrogate pair: JSON can write it, and the gateway's parser refuses it.
  !/\p{Surrogate}/u.test(value);

/**
 * Reads the known members of an object by name. Spreading the object would skip members that are
 * inherited or not enumerable, such as the getters of a class. Members that are `undefined` are
 * left out.
 */
export const membersOf = (object: object, known: readonly string[]): Members =>
  Object.fromEntries(
    known
      .map((name) => [name, (object as Members)[name]])
      .filter(([, value]) => value !== undefined),
  );

/**
 * Refuses a member that is not known, since it could be a misspelt limit. Inherited members count
 * too, since {@link membersOf} reads them.
 *
 * @throws {MediagateError} `invalid_argument`.
 */
export function checkMembers(
  object: object,
  known: readonly string[],
  message: (name: string, known: string) => string,
): void {
  for (
    let owner: object | null = object;
    owner;
    owner = Object.getPrototypeOf(owner)
  ) {
    const isInherited = owner !== object;
    for (const [name, property] of Object.entries(
      Object.getOwnPropertyDescriptors(owner),
    )) {
      const isMember = property.enumerable || property.get;
      const isAllowed =
        known.includes(name) || (isInherited && isOfPrototype(name, property));
      if (isMember && !isAllowed)
        throw invalid(message(name, known.join(", ")));
    }
  }
}

/**
 * Returns true for a property that prototypes have and options do not. Methods are enumerable if a
 * compiler for ES5 wrote the class.
 */
const isOfPrototype = (name: string, { value }: PropertyDescriptor) =>
  name === "__proto__" || typeof value === "function";

/**
 * Splits a secret into its keys, which the gateway's settings separate by commas, the current key
 * first. White space is removed as the gateway does it, which differs from `trim`.
 */
export const keysOf = (secret: string): string[] =>
  secret
    .split(",")
    .map((key) => key.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ""))
    .filter(Boolean);

export const hmacKey = (
  bytes: Uint8Array<ArrayBuffer>,
  usage: "sign" | "verify",
): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    "raw",
    bytes,
    { name: "HMAC", hash: "SHA-256" },
    false,
    [usage],
  );
