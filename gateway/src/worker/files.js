// Serves the playground's files with their types, and with tags by which a browser checks its copy.
// workerd's disk service has neither.

/** A name with a hash of the content never gets another content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATED = "public, max-age=0, must-revalidate";

/**
 * @typedef {{ type: string, etag: string, hashed: boolean }} Description `hashed` if the name has a
 *   hash of the content
 *
 * @typedef {object} Env
 * @property {{ fetch: typeof fetch }} DISK
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
    const described = {
      etag: file.etag,
      "cache-control": file.hashed ? IMMUTABLE : REVALIDATED,
    };
    if (matches(headers.get("if-none-match"), file.etag))
      return new Response(null, { status: 304, headers: described });
    const stored = await env.DISK.fetch(
      new Request(new URL(path, request.url), { method }),
    );
    const { status } = stored;
    return new Response(stored.body, {
      status,
      headers: { ...described, "content-type": file.type, ...length(stored) },
    });
  },
};

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
