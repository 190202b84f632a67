// Signs session tokens: JSON Web Tokens with HS256, as the gateway verifies them.

import {
  type Claims,
  claimsOf,
  IDENTITY,
  NAMES,
  PERMISSIONS,
} from "./claims.js";
import {
  checkMembers,
  encode,
  hmacKey,
  invalid,
  isRecord,
  keysOf,
  membersOf,
} from "./values.js";

/** The fewest bytes of a key: the length of a SHA-256 hash. */
const MIN_KEY_BYTES = 32;
/** The most characters of a token that the gateway reads. */
const MAX_TOKEN_LENGTH = 8192;

const MEMBERS = ["secret", ...IDENTITY, ...PERMISSIONS, ...NAMES];

/**
 * Issues a token, and returns it with its claims.
 *
 * @throws {MediagateError} `invalid_argument` for options that are not valid.
 */
export async function issue(
  options: unknown,
): Promise<{ token: string; claims: Claims }> {
  if (!isRecord(options))
    throw invalid(
      "mintSession takes an object; give { secret, subject, scope }",
    );
  checkMembers(
    options,
    MEMBERS,
    (other, all) =>
      `there is no option ${other} of a session; there are ${all}`,
  );
  const { secret, ...members } = membersOf(options, MEMBERS);
  const key = signingKey(secret);
  const claims = claimsOf({ tokenId: crypto.randomUUID(), ...members });
  const token = await sign(key, claims);
  if (token.length > MAX_TOKEN_LENGTH)
    throw invalid(
      `the token is longer than the ${MAX_TOKEN_LENGTH} characters that the gateway reads; ` +
        "list fewer assets, or a shorter subject",
    );
  return { token, claims };
}

/**
 * Returns the key that signs: the first one, if the secret is being rotated (`new,old`).
 *
 * @throws {MediagateError} `invalid_argument` for a secret that the gateway would not accept.
 */
export function signingKey(secret: unknown): string {
  if (secret !== undefined && typeof secret !== "string")
    throw invalid(
      "secret is no string; give the text of the gateway's SESSION_SECRET",
    );
  const keys = keysOf(secret ?? "");
  const [first] = keys;
  if (first === undefined)
    throw invalid(
      "secret is missing or empty; " +
        "set SESSION_SECRET in the environment, to the same value as the gateway's",
    );
  if (keys.some((key) => encode(key).length < MIN_KEY_BYTES))
    throw invalid(
      `secret has a key shorter than ${MIN_KEY_BYTES} bytes; ` +
        "set SESSION_SECRET to the output of openssl rand -hex 32, here and at the gateway",
    );
  return first;
}

async function sign(key: string, claims: Claims) {
  const header = { alg: "HS256", typ: "JWT" };
  const signed = [header, claims]
    .map((part) => base64url(encode(JSON.stringify(part))))
    .join(".");
  const signature = await crypto.subtle.sign(
    "HMAC",
    await hmacKey(encode(key), "sign"),
    encode(signed),
  );
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

function base64url(bytes: Uint8Array) {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte));
  return btoa(binary.join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
