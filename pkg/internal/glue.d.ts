// What the package's scripts call of the wasm: its exports as they are, since arguments and results are numbers, which the
// functions of wasm-bindgen's glue would only pass on. Values are handles of values.js. Not in the package.
// crates/browser/src/exports.rs says what each does.

import type { CapabilityName } from "../dist/capabilities.js";
import type { MiddlewareRequest } from "../dist/mediagate.js";

declare module "../dist/mediagate.js" {
  /** The function that is called in the place of `fetch`. */
  export type Network = (
    url: string,
    init: Omit<MiddlewareRequest, "url" | "capability">,
    capability: CapabilityName | "",
    /** What sends it where the caller has no `fetch`; absent for `fetch` itself. */
    transport?: (url: string, init: RequestInit) => Promise<Response>,
  ) => Promise<Response>;

  type Handle = number;

  /** The wasm's exports. */
  export interface Wasm {
    connect(
      promise: number,
      base: Handle,
      token: Handle,
      isFunction: boolean,
      turnstile: Handle,
      network: Handle,
    ): void;
    create(
      promise: number,
      gateway: number,
      name: Handle,
      input: Handle,
      key: Handle,
    ): void;
    estimate(
      promise: number,
      gateway: number,
      name: Handle,
      input: Handle,
    ): void;
    models(promise: number, gateway: number): void;
    tasks(promise: number, gateway: number, query: Handle): void;
    forget(
      promise: number,
      gateway: number,
      id: Handle,
      isPipeline: boolean,
    ): void;
    pipeline(
      promise: number,
      gateway: number,
      title: Handle,
      steps: Handle,
      key: Handle,
    ): void;
    upload(
      promise: number,
      gateway: number,
      file: Handle,
      progress: Handle,
    ): void;

    restore(gateway: number, saved: Handle): number;
    restorePipeline(gateway: number, id: Handle): number;
    changePipeline(promise: number, pipeline: number, isResume: boolean): void;
    taskSnapshot(task: number): Handle;
    saved(task: number): Handle;
    refresh(promise: number, task: number): void;
    done(promise: number, task: number): void;
    subscribe(task: number, subscription: number): void;
    next(promise: number, task: number, subscription: number): void;

    responded(
      id: number,
      status: number,
      body: Handle,
      requestId: Handle,
      retryAfter: number,
      isStream: boolean,
    ): void;
    failed(id: number, cause: Handle): void;
    diagnosed(id: number, block: number): void;
    received(id: number, events: Handle): void;
    fired(id: number): void;
    returned(id: number, hasThrown: boolean, value: Handle): void;
    limited(promise: number, error: Handle, retryable: boolean): void;
    release(id: number): void;
    referenced(): void;
    reset(): void;

    validate(name: Handle, input: Handle): Handle;
    capabilities(): Handle;
    decodeEnvelope(status: Handle, body: Handle, name: Handle): Handle;
  }

  export function initSync(options: { module: WebAssembly.Module }): Wasm;
}
