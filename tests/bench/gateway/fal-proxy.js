// fal's server proxy for Workers, by its Hono adapter, with the settings that close what it leaves open.
import { createRouteHandler } from "@fal-ai/server-proxy/hono";
import { Hono } from "hono";

const app = new Hono();

app.all("/api/fal/proxy", (context) => {
  const { UPSTREAM_API_KEY, UPSTREAM_BASE_URL } = context.env;
  return handler(UPSTREAM_API_KEY, new URL(UPSTREAM_BASE_URL).host)(context);
});

let made;
const handler = (key, host) =>
  (made ??= createRouteHandler({
    resolveApiKey: async () => `Key ${key}`,
    allowedUrlPatterns: [`${host}/**`],
    allowedEndpoints: ["api/**"],
    allowUnauthorizedRequests: false,
    isAuthenticated: async (behavior) => behavior.getHeader("authorization") !== undefined,
  }));

export default app;
