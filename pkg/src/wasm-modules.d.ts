/** A compiled module, which the bundlers of Cloudflare Workers make of the file. */
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
