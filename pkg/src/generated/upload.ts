// Written from `crates/core` by `cargo xtask generate`; edits are lost.

/** The headers that the response with an upload URL must not set, in lower case. */
export const RESERVED_HEADERS: readonly string[] = [
  "authorization",
  "cookie",
  "host",
  "content-length",
  "connection",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "keep-alive",
  "proxy-authorization",
  "expect",
];
