import { aborted, invalidArgument, MediagateError, timedOut } from "./error.js";
import { isObject, type Limits } from "./options.js";
import type { UploadOptions, UploadSource } from "./types/calls.js";
import type { Output } from "./types/task.js";

/** The deepest level of an input; the catalogue needs four. */
const MAX_DEPTH = 8;

/** The files of bytes, each with the key of the create that it was made for. */
const filesOfBytes = new WeakMap<object, { key: string; file: File }>();

/**
 * Returns a copy of an input as the wasm takes it: JSON and files. Bytes become files, a task or a
 * snapshot becomes `{ id, capability }`, and an output has the names of the gateway.
 *
 * @param input - The input.
 * @param key - The key of the create. The same bytes become the same file when the create is
 * repeated with its key.
 */
export function wasmInput(input: unknown, key?: string): unknown {
  return wasmValue(input, key, 0);
}

/**
 * Returns a part of an input as the wasm takes it.
 *
 * @param depth - The level of the part; 0 for the input itself, whose members are the fields of the
 * capability.
 */
function wasmValue(
  value: unknown,
  key: string | undefined,
  depth: number,
): unknown {
  // No field takes a symbol, and JSON leaves it out.
  if (typeof value === "bigint") return Symbol("a bigint");
  if (typeof value !== "object" || value === null || value instanceof Blob)
    return value;
  if (isBytes(value)) return fileOfBytes(value, key);
  if (depth >= MAX_DEPTH) return Symbol("a cycle, or a value that is too deep");
  if (Array.isArray(value))
    return value.map((item) => wasmValue(item, key, depth + 1));
  const { id, capability, taskId } = value as Record<string, unknown>;
  // A field of a capability may have the name of a member of a task or of an output.
  const isOutput = depth > 0 && typeof taskId === "string";
  if (isOutput) return wasmOutput(value as Output, key, depth);
  const isTask = depth > 0 && typeof capability === "string";
  if (isTask) return { id, capability };
  const members = Object.entries(value)
    // In a copy, a JSON member of this name could become the prototype.
    .filter(([name, member]) => member !== undefined && name !== "__proto__")
    .map(([name, member]) => [name, wasmValue(member, key, depth + 1)]);
  return Object.fromEntries(members);
}

/** Returns an output, or its place, as the wasm takes it. */
function wasmOutput(
  { url, assetId, kind, taskId, output }: Output,
  key: string | undefined,
  depth: number,
): unknown {
  const members = { url, asset_id: assetId, kind, task_id: taskId, output };
  return wasmValue(members, key, depth);
}

/**
 * Returns the file of bytes. Its id is remembered by the file, and a create is only the same for the
 * gateway if the ids of its files are. For another create it is another file, because the bytes may
 * have changed since.
 */
function fileOfBytes(
  bytes: ArrayBuffer | ArrayBufferView<ArrayBuffer>,
  key: string | undefined,
): File {
  const known = filesOfBytes.get(bytes);
  if (known && known.key === key) return known.file;
  const file = new File([bytes], "");
  if (key !== undefined) filesOfBytes.set(bytes, { key, file });
  return file;
}

/** Tests if a value is bytes. */
function isBytes(
  value: unknown,
): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/**
 * Checks a source of an upload, and returns a function that makes a file of it.
 *
 * @throws {MediagateError} `invalid_argument` for another value, and for an empty one.
 */
export function checkSource(
  source: UploadSource,
  { name, type }: UploadOptions,
): (limits: Limits) => Promise<Blob> {
  if (source instanceof Blob) {
    checkSize(source);
    return async () => source;
  }
  const fileOf = (part: BlobPart) => {
    const options = { type: typeof type === "string" ? type : "" };
    const file = new File(
      [part],
      typeof name === "string" ? name : "",
      options,
    );
    checkSize(file);
    return file;
  };
  if (isStream(source))
    return async (limits) => fileOf(await readStream(source, limits));
  if (!isBytes(source))
    throw invalidArgument(
      "upload takes a File, a Blob, bytes or a ReadableStream",
    );
  // A buffer that was transferred to a worker is empty, but a file of it is an error on some platforms.
  const { byteLength } = ArrayBuffer.isView(source) ? source.buffer : source;
  const file = fileOf(byteLength === 0 ? "" : source);
  return async () => file;
}

/** Tests if a value is a stream, also one of another frame. */
function isStream(value: unknown): value is ReadableStream<Uint8Array> {
  return isObject(value) && typeof value.getReader === "function";
}

function checkSize(file: Blob): void {
  if (file.size === 0)
    throw invalidArgument("the file is empty; give one with one or more bytes");
}

/**
 * Reads a stream to its end, within the limits of a call.
 *
 * @throws {MediagateError} `upload_failed` if the stream breaks or cannot be read; `aborted`;
 * `timeout`.
 */
async function readStream(
  stream: ReadableStream<Uint8Array>,
  { signal, timeout }: Limits,
): Promise<Blob> {
  const controller = new AbortController();
  const abort = () => signal && controller.abort(aborted(signal));
  const expire = () => controller.abort(timedOut());
  signal?.addEventListener("abort", abort);
  const timer = timeout && setTimeout(expire, timeout);
  try {
    // Unlike a reader's release, aborting a pipe cancels the source of the stream.
    const piped = stream.pipeThrough(new TransformStream(), {
      signal: controller.signal,
    });
    return await new Response(piped).blob();
  } catch (cause) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw new MediagateError({
      code: "upload_failed",
      message: "the stream broke, or is locked by another reader",
      hint: "give a new stream",
      cause,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
