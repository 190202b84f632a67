// The glue imports this module. The wasm calls `panicked` right before it traps.

let onPanic: ((message: string) => void) | undefined;

/**
 * Sets the function that receives the message of a panic. Only the newest instance of the wasm needs
 * one: an older instance has crashed.
 */
export function listenForPanics(listener: (message: string) => void): void {
  onPanic = listener;
}

/** Reports a panic of the wasm, which traps after this call. */
export function panicked(message: string): void {
  onPanic?.(message);
}
