// fal's server proxy for Workers, with its Hono adapter and with the settings that restrict its
// URLs, endpoints and callers.
import { createRouteHandler } from "@fal-ai/server-proxy/hono";
import { Hono } from "hono";

/** @type {Hono<{ Bindings: { UPSTREAM_API_KEY: string, UPSTREAM_BASE_URL: string } }>} */
const app = new Hono();

app.all("/api/fal/proxy", (context) => {
  const { UPSTREAM_API_KEY, UPSTREAM_BASE_URL } = context.env;
  return handler(UPSTREAM_API_KEY, new URL(UPSTREAM_BASE_URL).host)(context);
});

let cached;
const handler = (key, host) =>
  (cached ??= createRouteHandler({
    resolveApiKey: async () => `Key ${key}`,
    allowedUrlPatterns: [`${host}/**`],
    allowedEndpoints: ["api/**"],
    allowUnauthorizedRequests: false,
    isAuthenticated: async (behavior) =>
      behavior.getHeader("authorization") !== undefined,
  }));

export default app;
