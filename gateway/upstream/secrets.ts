// The module's keys, which must not be in a record, an error or a log.
import type { Env } from "./model.js";

/** Shorter values are no keys, and may be part of any text. */
const MIN_LENGTH = 8;

/**
 * Returns each variable that may be a key, by a marker, in the notations that a URL may have. A key
 * comes before another key that is a part of it.
 */
function keysOf(env: Env): [marker: string, key: string][] {
  const entries = Object.entries(env);
  const keys = entries.flatMap(([name, value]): [string, string][] => {
    if (typeof value !== "string" || value.length < MIN_LENGTH) return [];
    if (/^https?:/.test(value)) return [];
    const encoded = encodeURIComponent(value);
    const raw: [string, string] = [`{${name}}`, value];
    return encoded === value ? [raw] : [raw, [`{${name}:encoded}`, encoded]];
  });
  return keys.sort(([, one], [, other]) => other.length - one.length);
}

/** Returns a text with markers, such as `{FAL_KEY}`, instead of the keys. */
export const withoutKeys = (text: string, env: Env) =>
  keysOf(env).reduce(
    (cleaned, [marker, key]) => cleaned.replaceAll(key, marker),
    text,
  );

/** A URL with markers instead of keys. Another text in braces is part of the URL. */
export interface MarkedUrl {
  readonly url: string;
  readonly markers: readonly string[];
}

/** Returns a URL with keys in it as one with markers; `undefined` for a URL without a key. */
export function marked(url: string, env: Env): MarkedUrl | undefined {
  const inUrl = keysOf(env).filter(([, key]) => url.includes(key));
  const markers = inUrl.map(([marker]) => marker);
  return markers.length > 0
    ? { url: withoutKeys(url, env), markers }
    : undefined;
}

/** Returns the URL with the variables' present values. */
export const withKeys = ({ url, markers }: MarkedUrl, env: Env) =>
  keysOf(env)
    .filter(([marker]) => markers.includes(marker))
    .reduce((whole, [marker, key]) => whole.replaceAll(marker, () => key), url);
