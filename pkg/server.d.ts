/**
 * `mediagate/server` is for the app's backend: it issues session tokens for the gateway, and verifies the gateway's
 * webhooks. It needs WebCrypto, which Node 20, Deno, Bun, Cloudflare Workers and other edge runtimes have, and loads no
 * WebAssembly.
 *
 * @module server
 */

export { isMediagateError, MediagateError } from "./error.js";
export type {
  Awaitable,
  ExpressRequest,
  ExpressResponse,
  HonoContext,
  SessionHandlerOptions,
  SvelteKitEvent,
} from "./server-handlers.js";
export {
  expressSessionHandler,
  honoSessionHandler,
  nextSessionHandler,
  svelteKitSessionHandler,
} from "./server-handlers.js";
export type {
  Asset,
  Budget,
  MintedSession,
  Scope,
  ScopeWord,
  Session,
  SessionDefaults,
  SessionOptions,
  SessionPermissions,
} from "./server-session.js";
export { mintSession } from "./server-session.js";
export type {
  WebhookErrorCode,
  WebhookEvent,
  WebhookOutput,
  WebhookPipeline,
  WebhookPipelineEvent,
  WebhookRequest,
  WebhookStep,
  WebhookSubject,
  WebhookTask,
  WebhookTaskEvent,
} from "./server-webhooks.js";
export { verifyWebhook, WebhookError } from "./server-webhooks.js";
