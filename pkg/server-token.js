// Signs session tokens: JSON Web Tokens with HS256, as the gateway verifies them.

import { claimsOf, IDENTITY, NAMES, PERMISSIONS } from "./server-claims.js";
import {
  encode,
  hmacKey,
  invalid,
  isRecord,
  keysOf,
  membersOf,
  unknownMember,
} from "./server-values.js";

/** The fewest bytes of a key, which are those of SHA-256. */
const MIN_KEY_BYTES = 32;
/** The most characters of a token that the gateway reads. */
const MAX_TOKEN_LENGTH = 8192;

const MEMBERS = ["secret", ...IDENTITY, ...PERMISSIONS, ...NAMES];

/**
 * A token and its claims.
 *
 * @param {unknown} options those of `mintSession`
 * @throws {MediagateError}
 */
export async function issue(options) {
  if (!isRecord(options))
    throw invalid(
      "mintSession takes an object; give { secret, subject, scope }",
    );
  const other = unknownMember(options, MEMBERS);
  if (other !== undefined)
    throw invalid(
      `there is no option ${other} of a session; there are ${MEMBERS.join(", ")}`,
    );
  const { secret, ...members } = membersOf(options, MEMBERS);
  const key = signingKey(secret);
  const claims = claimsOf({ tokenId: crypto.randomUUID(), ...members });
  const token = await sign(key, claims);
  if (token.length > MAX_TOKEN_LENGTH)
    throw invalid(
      `the token is longer than the ${MAX_TOKEN_LENGTH} characters that the gateway reads; list fewer assets, or a shorter subject`,
    );
  return { token, claims };
}

/**
 * The key that signs: the first one, as it is while the secret is rotated (`new,old`).
 *
 * @param {unknown} secret
 * @throws {MediagateError} for what the gateway's own setting could not be
 */
export function signingKey(secret) {
  if (secret !== undefined && typeof secret !== "string")
    throw invalid(
      "secret is no string; give the text of the gateway's SESSION_SECRET",
    );
  const keys = keysOf(secret ?? "");
  if (keys.length === 0)
    throw invalid(
      "secret is missing or empty; set SESSION_SECRET in the environment, to the same value as the gateway's",
    );
  if (keys.some((it) => encode(it).length < MIN_KEY_BYTES))
    throw invalid(
      `secret has a key shorter than ${MIN_KEY_BYTES} bytes; set SESSION_SECRET to the output of openssl rand -hex 32, here and at the gateway`,
    );
  return keys[0];
}

/**
 * @param {string} key
 * @param {object} claims
 */
async function sign(key, claims) {
  const parts = [{ alg: "HS256", typ: "JWT" }, claims].map((it) =>
    base64url(encode(JSON.stringify(it))),
  );
  const signed = parts.join(".");
  const signature = await crypto.subtle.sign(
    "HMAC",
    await hmacKey(encode(key), "sign"),
    encode(signed),
  );
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  const binary = Array.from(bytes, (it) => String.fromCharCode(it)).join("");
  return btoa(binary)
    .replace(/[+/]/g, (it) => (it === "+" ? "-" : "_"))
    .replaceAll("=", "");
}
