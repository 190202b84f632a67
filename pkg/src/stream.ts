import type { Instance } from "./instance.js";

/** The body of a response, which is read as text while it arrives. */
export class TextStream {
  private readonly decoder = new TextDecoder();
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private readonly unregister: () => void;

  constructor(
    instance: Instance,
    body: ReadableStream<Uint8Array>,
    private readonly abort: () => void,
  ) {
    this.reader = body.getReader();
    this.unregister = instance.register(() => this.close());
  }

  /** Returns the next text; `undefined` at the end of the stream, and if it breaks. */
  async read(): Promise<string | undefined> {
    try {
      const { value } = await this.reader.read();
      return value && this.decoder.decode(value, { stream: true });
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.unregister();
    // The body of a cloned response ends only if it is both cancelled and aborted.
    this.reader.cancel().catch(() => {});
    this.abort();
  }
}
