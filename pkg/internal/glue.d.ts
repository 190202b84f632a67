// What the package's scripts call of wasm-bindgen's glue, which generates no types for it: its `.d.ts` has the public
// interfaces alone. Not in the package.

import type { CapabilityName } from "../dist/capabilities.js";
import type { ConnectOptions, Issue, Media, MiddlewareRequest, SavedTask, TaskSnapshot } from "../dist/mediagate.js";
import type { CallOptions, MediagateError } from "../index.js";

declare module "../dist/mediagate.js" {
  /** A client's wasm class. A method for each capability is added to its prototype. */
  export const Media: { readonly prototype: Media };
  /** A task's wasm class, with the methods that the public interface does not show. */
  export const Task: { readonly prototype: WasmTask };
  export interface WasmTask {
    readonly snapshot: TaskSnapshot;
    next(after: TaskSnapshot | undefined, options?: CallOptions): Promise<TaskSnapshot | undefined>;
    lease(): { free(): void };
    toJSON(): SavedTask;
  }
  /** `network` is called in the place of `fetch`. */
  export function connect(options: ConnectOptions & { network?: Network }): Promise<Media>;
  export type Network = (
    url: string,
    init: Omit<MiddlewareRequest, "url" | "capability">,
    capability: CapabilityName | "",
  ) => Promise<Response>;
  export function initSync(options: { module: WebAssembly.Module }): unknown;
  export function install(errorClass: typeof MediagateError): void;
  export function validate(name: CapabilityName, input: unknown): Issue[];
  export function capabilities(): string[];
  /** A task's snapshot where `name` is given, the envelope's `data` otherwise. */
  // biome-ignore lint/suspicious/noExplicitAny: the package's declaration has an overload for each
  export function decodeEnvelope(status: number, text: string, name?: CapabilityName): any;
}
