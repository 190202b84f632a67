/** The options of a function that may load the WebAssembly, and sends no other request. */
export interface LoadOptions {
  /** Aborts the call, which rejects with code `aborted`. The load goes on for other calls. */
  signal?: AbortSignal | undefined;
  /**
   * The longest time for the load in milliseconds, a positive number. After it, the call rejects
   * with code `timeout`, and the load goes on for other calls.
   *
   * @defaultValue none
   */
  timeout?: number | undefined;
}
