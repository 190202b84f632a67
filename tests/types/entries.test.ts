// Every entry has the same face; they differ in what `load` needs.
import * as inline from "mediagate/inline";
import * as whole from "mediagate";
import * as slim from "mediagate/slim";
import wasm from "mediagate/mediagate.wasm";

export const same: typeof whole = inline;
export const compatible: Omit<typeof whole, "load"> = slim;

export async function loads(bytes: Uint8Array<ArrayBuffer>, module: WebAssembly.Module): Promise<void> {
  await whole.load();
  await inline.load();
  // @ts-expect-error this entry brings no wasm
  await slim.load();
  for (const source of [wasm, bytes, bytes.buffer, module, "/m.wasm", new URL("https://a.test"), fetch("/m.wasm")]) {
    await slim.load(source);
  }
  // @ts-expect-error no place and no wasm
  await slim.load(42);
}
