/** Returns a random key of 128 bits. */
export function newKey(): string {
  // `crypto.randomUUID` is missing on pages without TLS, such as on a phone during development.
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
