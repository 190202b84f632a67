/** What workerd's bundlers make of the file. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
