// Reads a response. It may come from a caller's `fetch`, and then have no class of the platform.

import { parseJson } from "./json.js";

/** A body of the platform's `fetch` or of another implementation. */
interface Body {
  getReader?: unknown;
  cancel?: () => unknown;
  destroy?: () => unknown;
}

/**
 * Returns true if a value is a response, also one of another implementation and of another frame.
 */
export function isResponse(value: unknown): value is Response {
  const { status, headers, text } = (value ?? {}) as Partial<Response>;
  return (
    typeof status === "number" &&
    typeof headers?.get === "function" &&
    typeof text === "function"
  );
}

/** Returns the status of a response. A browser hides the status of a redirect. */
export function statusOf({ status, type }: Response): number {
  return type === "opaqueredirect" ? 302 : status;
}

/** Returns a header; `undefined` if it is missing or empty. */
export function headerOf(
  { headers }: Response,
  name: string,
): string | undefined {
  const value: unknown = headers.get(name);
  return typeof value === "string" && value ? value : undefined;
}

/** Returns true if a response is a stream of events that can be read while it arrives. */
export function isEventStream(response: Response): boolean {
  const type = headerOf(response, "content-type");
  return (
    response.status === 200 && type?.startsWith("text/event-stream") === true
  );
}

/** Returns the body of a response as a stream; `undefined` if there is none. */
export function streamOf({
  body,
}: Response): ReadableStream<Uint8Array> | undefined {
  return typeof body?.getReader === "function" ? body : undefined;
}

/** Returns the JSON of a response; `undefined` if it has none. */
export async function jsonOf(response: Response): Promise<unknown> {
  // Chromium can report a `no-store` request as failed if a reader reads its body, even to the end.
  return parseJson(await response.text());
}

/** Ends the body of a response that is not read. */
export function discard(response: unknown): void {
  const { body } = (response ?? {}) as { body?: Body | null };
  // A middleware may read the body, which is then locked.
  const end = async () => (body?.cancel ? body.cancel() : body?.destroy?.());
  end().catch(() => {});
}
