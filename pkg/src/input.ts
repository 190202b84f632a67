import { invalidArgument, isMediagateError, MediagateError } from "./error.js";
import { isBlob, isObject } from "./options.js";
import { StreamedFile, sendsStreams } from "./streamed.js";
import type { UploadOptions, UploadSource } from "./types/calls.js";
import type { LoadOptions } from "./types/load.js";
import type { Output } from "./types/task.js";
import { within } from "./waiting.js";

/** The deepest level of an input; the catalogue needs four. */
const MAX_DEPTH = 8;

/** What people pass that is neither JSON nor a file, by its class, with the remedy. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Blob: "a Blob of another environment (copy its arrayBuffer() into a new Blob)",
  File: "a File of another environment (copy its arrayBuffer() into a new File)",
  FileList: "a FileList (use files[0])",
  HTMLCanvasElement: "a canvas (use its toBlob())",
  HTMLInputElement: "an input element (use its files[0])",
  Promise: "a Promise (await it)",
  ReadableStream: "a stream (upload it first, and use the id)",
  Response: "a Response (use its blob())",
  URL: "a URL (give it as { url: url.href }, or fetch it and use the Blob)",
};

/** Matches the names of the fields for files, which are alike in every capability. */
const FILE_FIELD = /file_ids?$/;

/** The parts of a data URI: the media type, `;base64` if the data is in base64, and the data. */
const DATA_URI = /^data:(.*?)(;base64)?,([^#]*)/is;

/** The files of bytes and of data URIs, each with the key of the create that it was made for. */
const filesOfBytes = new WeakMap<object, { key: string; file: File }>();

/**
 * Returns a copy of an input as the wasm takes it: JSON and files. Bytes and data URIs become
 * files, a task or a snapshot becomes `{ id, capability }`, and an output has the names of the
 * gateway.
 *
 * @param key - The key of the create. If a create is repeated with its key, its bytes become the
 * file of the first attempt again.
 * @param depth - 0 for the input itself, whose members are the fields of the capability.
 */
export function wasmInput(value: unknown, key?: string, depth = 0): unknown {
  // No field takes a symbol. The issue of the field has its description.
  if (typeof value === "bigint") return Symbol("a bigint");
  if (typeof value === "function") return Symbol("a function");
  if (typeof value === "symbol") return Symbol("a symbol");
  if (typeof value !== "object" || value === null || isBlob(value))
    return value;
  if (isBytes(value)) return fileOf(value, key);
  if (isForeignFile(value)) {
    const file = fileOf(value, key);
    // In some test runners, `File` takes a foreign file for a text, so the size differs.
    if (file.size === value.size) return file;
  }
  const description = describe(value);
  if (description !== undefined) return Symbol(description);
  if (depth >= MAX_DEPTH) return Symbol("a cycle, or a value that is too deep");
  if (Array.isArray(value))
    return value.map((item) => wasmInput(item, key, depth + 1));
  const { id, capability, taskId, url } = value as Record<string, unknown>;
  // A field of a capability may have the name of a member of a task or of an output.
  if (depth > 0) {
    if (typeof taskId === "string") {
      const { assetId, kind, output } = value as Output;
      const record = { url, asset_id: assetId, kind, task_id: taskId, output };
      return wasmInput(record, key, depth);
    }
    if (typeof capability === "string") return { id, capability };
    const file = fileOfDataUri(url, value, key);
    if (file) return file;
  }
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    // In a copy, a JSON member of this name could become the prototype.
    if (member === undefined || name === "__proto__") continue;
    const isForFiles = depth === 0 && FILE_FIELD.test(name);
    const taken = isForFiles ? withFiles(member) : member;
    members[name] = wasmInput(taken, key, depth + 1);
  }
  return members;
}

/** Returns the value of a field for files, with a file instead of each text that is a data URI. */
function withFiles(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map(withFiles)
    : (fileOfDataUri(value) ?? value);
}

/**
 * Returns the file in a data URI. Returns `undefined` for another value, and for a data URI that
 * cannot be decoded: the issue of the field says so.
 */
function fileOfDataUri(
  uri: unknown,
  source?: object,
  key?: string,
): File | undefined {
  const match = typeof uri === "string" ? DATA_URI.exec(uri) : null;
  if (!match) return undefined;
  const [, type, base64, data = ""] = match;
  try {
    const bytes = bytesOf(data, base64 !== undefined);
    const options = { type: type || "text/plain" };
    return remembered(source, key, () => new File([bytes], "", options));
  } catch {
    // The data is not valid.
    return undefined;
  }
}

/** Returns the bytes of the data of a data URI. Throws if the data is not valid. */
function bytesOf(data: string, isBase64: boolean): Uint8Array<ArrayBuffer> {
  const binary = encodeURI(data)
    .replaceAll("%25", "%")
    .replace(/%([\da-f]{2})/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  const text = isBase64 ? atob(binary) : binary;
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** Describes a value that is neither JSON nor a file. Returns `undefined` for JSON and files. */
function describe(value: unknown): string | undefined {
  const { pipe } = Object(value) as { pipe?: unknown };
  return typeof pipe === "function"
    ? "a stream of Node (use fs.openAsBlob(path), or upload Readable.toWeb(stream) first)"
    : DESCRIPTIONS[classOf(value)];
}

/** Returns the name of the class of a built-in object, also of one of another frame. */
function classOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

function isForeignFile(value: unknown): value is File {
  const { arrayBuffer } = Object(value) as { arrayBuffer?: unknown };
  return (
    /^(Blob|File)$/.test(classOf(value)) &&
    typeof arrayBuffer === "function" &&
    !isBlob(value)
  );
}

/**
 * Returns the file of bytes, or of a file of another frame. Each file keeps its id, and the gateway
 * only recognises a repeated create if the ids of its files are equal. Another create gets another
 * file, because the bytes may have changed since.
 */
function fileOf(
  source: ArrayBuffer | ArrayBufferView<ArrayBuffer> | File,
  key: string | undefined,
): File {
  const { name = "", type = "" } = source as Partial<File>;
  return remembered(
    source,
    key,
    () => new File([partOf(source)], name, { type }),
  );
}

function remembered(
  source: object | undefined,
  key: string | undefined,
  make: () => File,
): File {
  if (source === undefined || key === undefined) return make();
  const known = filesOfBytes.get(source);
  if (known?.key === key) return known.file;
  const file = make();
  filesOfBytes.set(source, { key, file });
  return file;
}

function isBytes(
  value: unknown,
): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/**
 * Returns what a file of a source is made of. A buffer that was transferred to a worker is empty,
 * and on some platforms, making a file of it throws.
 */
function partOf(
  source: ArrayBuffer | ArrayBufferView<ArrayBuffer> | File,
): BlobPart {
  const buffer = ArrayBuffer.isView(source) ? source.buffer : source;
  return buffer instanceof ArrayBuffer && buffer.byteLength === 0 ? "" : source;
}

/**
 * Checks a source of an upload, and returns a function that makes a file of it.
 *
 * @throws {MediagateError} `invalid_argument` for another value, and for an empty one.
 */
export function checkSource(
  source: UploadSource,
  options: UploadOptions,
): (limits: LoadOptions) => Promise<Blob | StreamedFile> {
  const name = typeof options.name === "string" ? options.name : "";
  const type = typeof options.type === "string" ? options.type : "";
  if (isBlob(source)) {
    checkSize(source);
    return async () => source;
  }
  const named = (part: BlobPart) => {
    const file = new File([part], name, { type });
    checkSize(file);
    return file;
  };
  if (isForeignFile(source)) {
    checkSize(source);
    const { name = "", type } = source;
    return async () => {
      const bytes = await source.arrayBuffer().catch((cause) => {
        throw unreadable("the file cannot be read", cause);
      });
      return new File([bytes], name, { type });
    };
  }
  if (isStream(source)) {
    const { size } = options;
    if (size !== undefined && !(Number.isSafeInteger(size) && size > 0))
      throw invalidArgument(
        "size is not the size of the stream",
        "give a number of bytes from 1",
      );
    if (size === undefined || !sendsStreams())
      return async (limits) => named(await readStream(source, limits));
    return async () => {
      try {
        return new StreamedFile(source.getReader(), size, name, type);
      } catch (cause) {
        throw unreadable(BROKEN, cause);
      }
    };
  }
  if (!isBytes(source)) {
    const [what, remedy] = describe(source)?.slice(0, -1).split(" (") ?? [];
    throw invalidArgument(
      `this is ${what ?? `a value of the type ${typeof source}`}, and not a file`,
      remedy ??
        "give a File, a Blob, bytes or a ReadableStream; " +
          "in Node, fs.openAsBlob(path) makes a Blob of a file",
    );
  }
  const file = named(partOf(source));
  return async () => file;
}

/** Returns true if a value is a stream, also one of another frame. */
function isStream(value: unknown): value is ReadableStream<Uint8Array> {
  return isObject(value) && typeof value.getReader === "function";
}

function checkSize(file: Blob): void {
  if (file.size === 0)
    throw invalidArgument(
      "the file is empty",
      "give one with one or more bytes",
    );
}

/**
 * Reads a stream to its end, within the limits of a call.
 *
 * @throws {MediagateError} `upload_failed` if the stream breaks or cannot be read; `aborted`;
 * `timeout`.
 */
async function readStream(
  stream: ReadableStream<Uint8Array>,
  limits: LoadOptions,
): Promise<Blob> {
  const controller = new AbortController();
  const { signal } = controller;
  try {
    // Unlike a reader's release, aborting a pipe cancels the source of the stream.
    const piped = stream.pipeThrough(new TransformStream(), { signal });
    return await within(limits, new Response(piped).blob());
  } catch (cause) {
    controller.abort();
    throw isMediagateError(cause) ? cause : unreadable(BROKEN, cause);
  }
}

const BROKEN = "the stream broke, or is locked by another reader";

function unreadable(message: string, cause: unknown): MediagateError {
  return new MediagateError({
    code: "upload_failed",
    message,
    hint: "give a new one",
    cause,
  });
}
