// The entry for the app's backend: session tokens for the gateway, and its webhooks. It needs WebCrypto, and no wasm.

export { isMediagateError, MediagateError } from "./error.js";
export {
  expressSessionHandler,
  honoSessionHandler,
  nextSessionHandler,
  svelteKitSessionHandler,
} from "./server-handlers.js";
export { mintSession } from "./server-session.js";
export { verifyWebhook, WebhookError } from "./server-webhooks.js";
