import { isMediagateError, MediagateError } from "./error.js";

/** Cloudflare Workers send a `Content-Length` only with this class. */
interface Workers {
  FixedLengthStream?: new (size: number) => TransformStream;
}

/**
 * A file whose bytes come from a stream, and are sent as they arrive. The wasm and the platform
 * read its other members like those of a `File`.
 */
export class StreamedFile {
  /** True if a part of the stream may have been read. */
  private isRead = false;
  /** The whole file, if it was read for a form. */
  private whole: File | undefined;

  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    readonly size: number,
    readonly name: string,
    readonly type: string,
  ) {}

  /** True if the file cannot be sent again, because its stream can be read only once. */
  get isSpent(): boolean {
    return this.isRead && !this.whole;
  }

  /**
   * Returns the bytes for a request. If the request fails before it reads any, they can be opened
   * again.
   *
   * @param onRead - Receives the number of bytes that were read so far.
   * @throws {TypeError} If the stream was read before.
   */
  open(onRead: (count: number) => void): ReadableStream<Uint8Array> {
    if (this.isRead) throw new TypeError("the stream was read before");
    const { reader, size } = this;
    let count = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          this.isRead = true;
          const read = async () => {
            const { value } = await reader.read();
            count += value?.byteLength ?? 0;
            return value;
          };
          const chunk = await read();
          // The storage may respond after `size` bytes, so look for more before the last are sent.
          if (count === size) await read();
          if (!chunk || count > size)
            throw new TypeError(`the stream has another size than ${size}`);
          controller.enqueue(chunk);
          onRead(count);
          if (count === size) controller.close();
        },
        cancel: () => {
          if (this.isRead) this.cancel();
        },
      },
      // Without a buffer, nothing is read before there is a connection.
      { highWaterMark: 0 },
    );
    const { FixedLengthStream } = globalThis as Workers;
    return FixedLengthStream
      ? stream.pipeThrough(new FixedLengthStream(size))
      : stream;
  }

  async read(): Promise<File> {
    if (this.whole) return this.whole;
    const { name, type } = this;
    const blob = await new Response(this.open(() => {})).blob();
    this.whole = new File([blob], name, { type });
    return this.whole;
  }

  cancel(): void {
    this.reader.cancel().catch(() => {});
  }

  /** Returns the error of an upload. Its message names a stream that cannot be sent again. */
  errorOf(error: unknown): unknown {
    const isLost = isMediagateError(error) && error.code === "upload_failed";
    if (!isLost || !this.isSpent) return error;
    return new MediagateError({
      code: "upload_failed",
      message:
        "the upload of a stream failed, and a stream can be read only once",
      hint:
        "give a new stream; " +
        "a Blob, such as that of fs.openAsBlob(path), is sent again after a failure",
      cause: error.cause,
    });
  }
}

/**
 * True if the platform sends a stream with its size. Browsers and Deno send none, and storages
 * refuse that.
 */
export function sendsStreams(): boolean {
  return !("XMLHttpRequest" in globalThis || "Deno" in globalThis);
}
