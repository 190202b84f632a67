// Session tokens: JSON Web Tokens that the app's backend signs with HS256.
import { Refusal } from "./responses.js";

const HMAC = { name: "HMAC", hash: "SHA-256" };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

let importing;
/** Imports the key once per isolate. */
const keyOf = (secret) =>
  (importing ??= crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    HMAC,
    false,
    ["verify"],
  ));

/**
 * Returns the subject of a request's token, after its signature, its audience and its times are
 * verified.
 */
export async function subjectOf(request, secret) {
  const [scheme, token = ""] = (
    request.headers.get("authorization") ?? ""
  ).split(" ");
  const [head, claims, signature, ...more] = token.split(".");
  if (scheme !== "Bearer" || signature === undefined || more.length > 0)
    throw unauthenticated();
  const signed = encoder.encode(`${head}.${claims}`);
  const isSigned = await crypto.subtle.verify(
    "HMAC",
    await keyOf(secret),
    bytes(signature),
    signed,
  );
  if (!isSigned || parse(head).alg !== "HS256") throw unauthenticated();
  const { sub, aud, exp } = parse(claims);
  if (
    typeof sub !== "string" ||
    sub === "" ||
    aud !== "mediagate" ||
    !(exp * 1000 > Date.now())
  )
    throw unauthenticated();
  return sub;
}

const unauthenticated = () =>
  new Refusal(401, "the session token is missing or not valid");

function bytes(base64url) {
  try {
    const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    throw unauthenticated();
  }
}

function parse(part) {
  const value = JSON.parse(decoder.decode(bytes(part)));
  if (value === null || typeof value !== "object") throw unauthenticated();
  return value;
}
