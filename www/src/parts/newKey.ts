/** A random key of 128 bits. `crypto.randomUUID` is missing on pages without TLS, such as on a phone during development. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((it) => it.toString(16).padStart(2, "0"))
    .join("");
}
