// The module's keys, which must not be in a record, an error or a log.
import type { Env } from "./model.js";

/** Shorter values are no keys, and may be part of any text. */
const MIN_LENGTH = 8;

/** A variable that may be a key, in a notation that a URL may have. */
interface Key {
  readonly name: string;
  readonly isEncoded: boolean;
  readonly text: string;
}

function keysOf(env: Env): Key[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (typeof value !== "string" || value.length < MIN_LENGTH) return [];
    if (/^https?:/.test(value)) return [];
    const encoded = encodeURIComponent(value);
    const raw = { name, isEncoded: false, text: value };
    return encoded === value
      ? [raw]
      : [raw, { name, isEncoded: true, text: encoded }];
  });
}

/** Returns a text with the names of the variables instead of their values. */
export const withoutKeys = (text: string, env: Env) =>
  keysOf(env).reduce(
    (cleaned, key) => cleaned.replaceAll(key.text, `{${key.name}}`),
    text,
  );

/** The parts of a URL: texts, and keys by their variable. */
export type UrlParts = (string | [name: string, isEncoded: boolean])[];

/** Returns the parts of a URL with a key in it; `undefined` for a URL without one. */
export function splitAtKeys(url: string, env: Env): UrlParts | undefined {
  const splitBy = (parts: UrlParts, { name, isEncoded, text }: Key) =>
    parts.flatMap((part): UrlParts => {
      if (typeof part !== "string") return [part];
      const [first = "", ...others] = part.split(text);
      return [
        first,
        ...others.flatMap((other): UrlParts => [[name, isEncoded], other]),
      ];
    });
  const parts = keysOf(env).reduce(splitBy, [url]);
  return parts.length > 1 ? parts : undefined;
}

/** Returns the URL of parts, with the variables' present values. */
export const joined = (parts: UrlParts, env: Env) =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      const [name, isEncoded] = part;
      const value = String(env[name]);
      return isEncoded ? encodeURIComponent(value) : value;
    })
    .join("");
