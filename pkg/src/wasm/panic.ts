// The script of the wasm imports this module. The wasm calls `panicked` right before it traps.

const listeners = new Set<(message: string) => void>();

/**
 * Calls a function with the message of a panic.
 *
 * @returns A function that ends it.
 */
export function onPanic(listener: (message: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reports a panic of the wasm, which traps after this call. */
export function panicked(message: string): void {
  for (const listener of [...listeners]) listener(message);
}
