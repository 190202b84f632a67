export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Returns a response with JSON, which pages of the allowed origin may read. */
export const json = (env, status, body) =>
  new Response(
    typeof body === "string" || body instanceof ReadableStream
      ? body
      : JSON.stringify(body),
    {
      status,
      headers: {
        "content-type": "application/json",
        "cache-control": "no-store",
        "access-control-allow-origin": env.ALLOWED_ORIGINS,
        vary: "origin",
      },
    },
  );
