/**
 * `mediagate/server` is for the app's backend: it issues session tokens for the gateway, and
 * verifies the gateway's webhooks. It needs WebCrypto, which Node 20, Deno, Bun, Cloudflare Workers
 * and other edge runtimes have, and loads no WebAssembly.
 *
 * @module server
 */

export { isMediagateError, MediagateError } from "./error.js";
export {
  type Awaitable,
  type ExpressRequest,
  type ExpressResponse,
  expressSessionHandler,
  type HonoContext,
  honoSessionHandler,
  nextSessionHandler,
  type SessionHandlerOptions,
  type SvelteKitEvent,
  svelteKitSessionHandler,
} from "./server/handlers.js";
export {
  type Asset,
  type Budget,
  type MintedSession,
  mintSession,
  type Scope,
  type ScopeWord,
  type Session,
  type SessionDefaults,
  type SessionOptions,
  type SessionPermissions,
  type ValueLimits,
} from "./server/session.js";
export {
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookEvent,
  type WebhookOutput,
  type WebhookPipeline,
  type WebhookPipelineEvent,
  type WebhookRequest,
  type WebhookStep,
  type WebhookSubject,
  type WebhookTask,
  type WebhookTaskEvent,
} from "./server/webhooks.js";
