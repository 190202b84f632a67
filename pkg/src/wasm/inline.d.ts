/** The wasm as gzip in base64. `scripts/dist.mjs` writes the script. */
declare const packed: string;
export default packed;
