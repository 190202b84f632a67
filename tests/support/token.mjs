// Session tokens, signed like those of an app's backend.
import { createHmac } from "node:crypto";
import { SETTINGS } from "./gateway.mjs";

const encode = (value) =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs a token for a subject with a scope. `claims` overrides any claim. */
export function token(
  sub = "alice",
  scope = "generate:* process:* upload",
  claims = {},
) {
  const iat = Math.floor(Date.now() / 1000);
  const payload = {
    sub,
    scope,
    aud: "mediagate",
    iat,
    exp: iat + 600,
    ...claims,
  };
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(payload)}`;
  const signature = createHmac("sha256", SETTINGS.SESSION_SECRET)
    .update(signed)
    .digest("base64url");
  return `${signed}.${signature}`;
}
