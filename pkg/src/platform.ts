import { diagnose, diagnoseUpload } from "./diagnosis.js";
import type { CapabilityName } from "./generated/capabilities.js";
import type { Hooks } from "./hooks.js";
import type { Instance } from "./instance.js";
import { isFresh } from "./lifetime.js";
import { operation } from "./operation.js";
import { MAX_TIMEOUT } from "./options.js";
import { exchange, headersOf } from "./request.js";
import { type NoResponseReason, reasonOf } from "./sends.js";
import { snapshotOf } from "./snapshot.js";
import type { TextStream } from "./stream.js";
import { describeFile, type FileInfo } from "./upload.js";
import { soon } from "./waiting.js";
import type * as wasm from "./wasm/mediagate.js";

export { Instance } from "./instance.js";

/**
 * The platform of the wasm: the page, the worker or the server. If a method throws, the wasm traps,
 * and all calls are lost.
 */
export class Platform implements wasm.Platform {
  /** The ids that files have at the gateway, and the times of their uploads. */
  private readonly fileIds = new WeakMap<Blob, { id: string; at: number }>();

  constructor(
    private readonly instance: Instance,
    private readonly hooks: Hooks = {},
  ) {}

  isOffline(): boolean {
    return globalThis.navigator?.onLine === false;
  }

  isHidden(): boolean {
    return globalThis.document?.hidden === true;
  }

  isMultiplexed(base: string): boolean {
    // Cloudflare Workers have no entries.
    const entries = globalThis.performance?.getEntriesByType?.("resource");
    if (!Array.isArray(entries)) return false;
    return entries.some(
      (entry: PerformanceEntry) =>
        entry.name.startsWith(base) &&
        /^h[23]$/.test((entry as PerformanceResourceTiming).nextHopProtocol),
    );
  }

  sleep(milliseconds: number, wake: string | undefined): wasm.Operation<void> {
    let abort = () => {};
    const done = new Promise<void>((resolve) => {
      const target = wake === "online" ? globalThis : globalThis.document;
      abort = () => {
        clearTimeout(timer);
        if (wake) target?.removeEventListener(wake, abort);
        resolve();
      };
      const timer = setTimeout(abort, Math.min(milliseconds, MAX_TIMEOUT));
      if (wake) target?.addEventListener(wake, abort);
    });
    return { done: this.instance.guard(done, abort), abort };
  }

  request(
    request: wasm.PlatformRequest,
  ): wasm.Operation<wasm.PlatformResponse> {
    return operation(this.instance, (signal, abort) =>
      exchange(request, this.hooks, this.instance, signal, abort),
    );
  }

  reasonOf(cause: unknown): NoResponseReason | undefined {
    return reasonOf(cause);
  }

  diagnose(
    request: wasm.PlatformRequest,
  ): wasm.Operation<"cors" | "policy" | "local" | "large" | undefined> {
    const { url, token } = request;
    const capability = request.capability as CapabilityName | undefined;
    return operation(this.instance, async (signal) => {
      // With a body, the browser sends the same preflight request as for a create.
      const body = request.file ? undefined : {};
      const headers = headersOf({ headers: request.headers, token, body });
      const probe = { url, headers, capability, signal };
      // Only the gateway's own relay gets the token.
      return request.file
        ? diagnoseUpload(probe, token !== undefined, this.hooks)
        : diagnose(probe, this.hooks);
    });
  }

  read(stream: unknown): Promise<string | undefined> {
    return this.instance.guard((stream as TextStream).read());
  }

  close(stream: unknown): void {
    // The source of a caller's stream may call the client, so the wasm must have returned first.
    soon(() => (stream as TextStream).close());
  }

  load(name: string): string | undefined {
    try {
      const text: unknown = localStorage.getItem(name);
      return typeof text === "string" ? text : undefined;
    } catch {
      // A worker and a server have no storage, and a browser may forbid it.
      return undefined;
    }
  }

  store(name: string, text: string): void {
    try {
      localStorage.setItem(name, text);
    } catch {
      // There is no storage, or it is full. The session then ends with the page.
    }
  }

  fileInfo(file: Blob): FileInfo {
    try {
      return describeFile(file);
    } catch {
      // The members of a proxy of a file cannot be read. Sending the file fails then.
      return describeFile(new Blob());
    }
  }

  fileId(file: Blob): string | undefined {
    const known = this.fileIds.get(file);
    return known && isFresh(known.at) ? known.id : undefined;
  }

  /** Returns the time at which a file was uploaded, in milliseconds since 1970. */
  uploadedAt(file: Blob): number {
    return this.fileIds.get(file)?.at ?? Date.now();
  }

  rememberFile(file: Blob, id: string): void {
    this.fileIds.set(file, { id, at: Date.now() });
  }

  snapshot(
    id: string | undefined,
    capability: string | undefined,
    state: string | undefined,
    progress: number | undefined,
    raw: unknown,
    unansweredSince?: number,
  ): unknown {
    return snapshotOf(id, capability, state, progress, raw, unansweredSince);
  }
}
