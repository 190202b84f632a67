// The entry for a page that cannot load a file beside its script: it contains the wasm. It needs
// the Content-Security-Policy of the other entries.

import { entry } from "./entry.js";
import { unpacked } from "./loading.js";
import packed from "./wasm/inline.js";

export { capabilities } from "./client.js";
export * from "./exports.js";

export const { connect, decodeEnvelope, load, validate } = entry(() =>
  unpacked(packed),
);
