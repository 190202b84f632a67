/**
 * Returns the issuer and the subject of a session token as one text; `undefined` if it is no JWT
 * with a subject. The gateway checks the token, and this only distinguishes users.
 */
export function subjectOf(token: unknown): string | undefined {
  const [, payload = ""] = typeof token === "string" ? token.split(".") : [];
  try {
    const base64 = payload.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const { iss, sub } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof sub === "string" ? JSON.stringify([iss, sub]) : undefined;
  } catch {
    return undefined;
  }
}
