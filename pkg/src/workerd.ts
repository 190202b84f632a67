// The entry for Cloudflare Workers, which do not compile bytes. The bundle has the compiled module.
// Without the query, Nitro would make an instance of it.

import { entry } from "./entry.js";
import module from "./wasm/mediagate_bg.wasm?module";

export { capabilities } from "./client.js";
export * from "./exports.js";

export const { connect, decodeEnvelope, load, validate } = entry(() => module);
