// The wasm that is inside a script: as compressed base64, which is a third larger.

/** @param {string} packed */
export function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (it) => it.charCodeAt(0));
  const stream = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, {
    headers: { "content-type": "application/wasm" },
  });
}
