// Serves the playground's files with their types, in the encoding that a browser prefers, and with
// tags by which it checks its copy. workerd's disk service has none of these.
import Negotiator from "negotiator";

/** A name with a hash of the content never gets another content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATED = "public, max-age=0, must-revalidate";

/**
 * @typedef {object} Description
 * @property {string} type
 * @property {string} etag
 * @property {boolean} hashed true if the name has a hash of the content
 * @property {string[]} encodings the encodings that the file is also stored in, the smallest first
 *
 * @typedef {object} Env
 * @property {{ fetch: typeof fetch }} DISK
 * @property {{ fetch: typeof fetch }} ENCODED a folder for each encoding
 * @property {Record<string, Description>} FILES by path
 */

export default {
  /** Responds with a file, or with 304 if the browser has the current one. */
  async fetch(request, env) {
    const { method, headers } = request;
    if (method !== "GET" && method !== "HEAD")
      return new Response(null, {
        status: 405,
        headers: { allow: "GET, HEAD" },
      });
    const { pathname } = new URL(request.url);
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const file = Object.hasOwn(env.FILES, path) ? env.FILES[path] : undefined;
    if (!file) return new Response("There is no such file.\n", { status: 404 });
    const encoding = encodingFor(file, headers.get("accept-encoding"));
    const etag = encoding
      ? file.etag.replace(/"$/, `-${encoding}"`)
      : file.etag;
    const described = {
      etag,
      "cache-control": file.hashed ? IMMUTABLE : REVALIDATED,
      ...(file.encodings.length > 0 && { vary: "accept-encoding" }),
    };
    if (matches(headers.get("if-none-match"), etag))
      return new Response(null, { status: 304, headers: described });
    const stored = await (encoding ? env.ENCODED : env.DISK).fetch(
      new Request(
        new URL(encoding ? `/${encoding}${path}` : path, request.url),
        {
          method,
        },
      ),
    );
    const options = {
      status: stored.status,
      headers: {
        ...described,
        "content-type": file.type,
        ...(encoding && { "content-encoding": encoding }),
        ...length(stored),
      },
      // The stored bytes are encoded already. By default, workerd would encode them again.
      encodeBody: "manual",
    };
    return new Response(stored.body, options);
  },
};

/**
 * Returns the encoding to send a file in, or `undefined` to send it as it is. The file is also sent
 * so if the header excludes that, too: RFC 9110, section 12.5.3, prefers it to a failure.
 *
 * @param {Description} file
 * @param {string | null} accepted the header `Accept-Encoding`
 */
function encodingFor({ encodings }, accepted) {
  const request = { headers: { "accept-encoding": accepted ?? "" } };
  const [best] = new Negotiator(request).encodings([...encodings, "identity"], {
    preferred: encodings,
  });
  return best === "identity" ? undefined : best;
}

/** @returns {Record<string, string>} the header `content-length`; empty if there is none */
const length = (response) => {
  const bytes = response.headers.get("content-length");
  return bytes === null ? {} : { "content-length": bytes };
};

/** Returns true if `If-None-Match` lists a tag. Weak tags count, too (RFC 9110, section 13.1.2). */
function matches(header, etag) {
  const tags = (header ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
