// The script of the wasm imports this module. `dist.mjs` adds the import of `queueMicrotask`.

const listeners = new Set<(cause: unknown) => void>();

/**
 * Calls a function with the cause of each trap that its caller does not get.
 *
 * @returns A function that ends it.
 */
export function onTrap(listener: (cause: unknown) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reports a panic of the wasm, which traps after this call. */
export function panicked(message: string): void {
  const cause = new WebAssembly.RuntimeError(message);
  for (const listener of [...listeners]) listener(cause);
}

/**
 * Queues a microtask of the wasm. A trap that is no panic, such as a stack overflow, has no other
 * report: the promises of the calls stay pending.
 */
export function queueMicrotask(work: () => void): void {
  // A later listener is that of another instance.
  const present = [...listeners];
  globalThis.queueMicrotask(() => {
    try {
      work();
    } catch (cause) {
      for (const listener of present) listener(cause);
      throw cause;
    }
  });
}
