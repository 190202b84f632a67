/** The limits of a function that loads the WebAssembly or a file, and sends no other request. */
export interface LoadOptions {
  /**
   * Aborts the call, which rejects with code `aborted`. A load of the WebAssembly goes on for other
   * calls.
   */
  signal?: AbortSignal | undefined;
  /**
   * The longest time for the load in milliseconds, a positive number. After it, the call rejects
   * with code `timeout`. A load of the WebAssembly goes on for other calls.
   *
   * @defaultValue none
   */
  timeout?: number | undefined;
}
