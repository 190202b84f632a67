// The reading of a response, which may be that of a caller's `fetch` and of no class of the platform.

import { parseJson } from "./json.js";

/**
 * The most bytes of a body. Without a limit, a server could fill the memory of the page. The largest
 * response of a gateway, a page of the history, has far fewer.
 */
const MAX_BYTES = 16 * 2 ** 20;

/** A body as `fetch` of the platform or of another implementation has it. */
interface Body {
  getReader?: unknown;
  cancel?: () => unknown;
  destroy?: () => unknown;
}

/** Tests if a value is a response, also one of another implementation and of another frame. */
export function isResponse(value: unknown): value is Response {
  const { status, headers, text } = (value ?? {}) as Partial<Response>;
  return (
    typeof status === "number" &&
    typeof headers?.get === "function" &&
    typeof text === "function"
  );
}

/** Returns the status of a response. A browser hides that of a redirect. */
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

/** Tests if a response is a stream of events that can be read while it arrives. */
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

/** Returns the JSON of a response; `undefined` if it has none, or too much. */
export async function jsonOf(response: Response): Promise<unknown> {
  const stream = streamOf(response);
  // Reading a body for the second time is an error.
  const text =
    stream && !response.bodyUsed ? await textOf(stream) : await response.text();
  return text === undefined ? undefined : parseJson(text);
}

/** Returns the text of a body; `undefined` if it has too many bytes. */
async function textOf(
  stream: ReadableStream<Uint8Array>,
): Promise<string | undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ; ) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > MAX_BYTES) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Ends the body of a response that is not read. */
export function discard(response: unknown): void {
  const { body } = (response ?? {}) as { body?: Body | null };
  // A middleware may read the body, which is then locked.
  const end = async () => (body?.cancel ? body.cancel() : body?.destroy?.());
  end().catch(() => {});
}
