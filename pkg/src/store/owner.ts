// The name of the user who has made a create or a task. All users of a browser share the store.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * Returns the name of a user in this browser. It tells nobody who the user is.
 *
 * Uses a library, because pages over plain http have no `crypto.subtle`.
 *
 * @param salt - The salt of this browser.
 * @param subject - The issuer and the subject of a session token, or the token itself if it is no
 * JWT.
 */
export function ownerName(salt: Uint8Array, subject: string): string {
  return bytesToHex(hmac(sha256, salt, utf8ToBytes(subject)));
}
