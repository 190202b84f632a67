// The script of the wasm imports this module. The wasm calls `panicked` right before it traps.

const listeners = new Set<(message: string) => void>();

/** Calls a function with the message of a panic. Returns a function that ends the calls. */
export function onPanic(listener: (message: string) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function panicked(message: string): void {
  for (const listener of [...listeners]) listener(message);
}
