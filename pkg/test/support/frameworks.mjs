// Starts the session handlers, each in its framework.
import { once } from "node:events";
import { createServer } from "node:http";
import { serve } from "@hono/node-server";
import express from "express";
import { Hono } from "hono";
import { listen } from "../../../tests/support/listen.mjs";

/**
 * @typedef {(method: string, headers?: Record<string, string>) => Promise<Response>} Send
 * @typedef {{ header: (name: string, ...args: any[]) => string | undefined, start: (server: any, options: any, t: any) => Promise<{ send: Send, errors: unknown[] }> }}
 *   Framework
 */

const PATH = "/media/session";
const from = (url) => (method, headers) =>
  fetch(`${url}${PATH}`, { method, headers });

async function started(t, server, url) {
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return from(await url);
}

/**
 * The frameworks. `start` starts an app whose handler has these options, and lists the errors that
 * reached the app's own error handler. `header` reads a header from the arguments of
 * `authenticate`.
 *
 * @type {Record<string, Framework>}
 */
export const FRAMEWORKS = {
  "Next.js": {
    header: (name, request) => request.headers.get(name) ?? undefined,
    async start({ nextSessionHandler }, options) {
      const handler = nextSessionHandler(options);
      const context = { params: Promise.resolve({ any: "thing" }) };
      const url = `https://app.example.com${PATH}`;
      return {
        send: async (method, headers) =>
          handler(new Request(url, { method, headers }), context),
        errors: [],
      };
    },
  },
  Hono: {
    header: (name, context) => context.req.header(name),
    async start({ honoSessionHandler }, options, t) {
      const errors = [];
      const app = new Hono();
      app.onError((error, context) => {
        if ("getResponse" in error)
          return /** @type {any} */ (error).getResponse();
        errors.push(error);
        return context.text("failed", 500);
      });
      app.all(PATH, honoSessionHandler(options));
      const server = serve({
        fetch: app.fetch,
        hostname: "127.0.0.1",
        port: 0,
      });
      const address = async () => {
        if (!server.listening) await once(server, "listening");
        return `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
      };
      return { send: await started(t, server, address()), errors };
    },
  },
  Express: {
    header: (name, request) => request.headers[name],
    async start({ expressSessionHandler }, options, t) {
      const errors = [];
      const app = express();
      app.all(PATH, expressSessionHandler(options));
      app.use((error, _request, response, _next) => {
        errors.push(error);
        response.status(500).end("failed");
      });
      const server = createServer(app);
      return { send: await started(t, server, listen(server)), errors };
    },
  },
  "Node's http": {
    header: (name, request) => request.headers[name],
    async start({ expressSessionHandler }, options, t) {
      const handler = expressSessionHandler(options);
      const server = createServer(
        (request, response) => void handler(request, response),
      );
      return { send: await started(t, server, listen(server)), errors: [] };
    },
  },
  SvelteKit: {
    header: (name, event) => event.request.headers.get(name) ?? undefined,
    async start({ svelteKitSessionHandler }, options) {
      const handler = svelteKitSessionHandler(options);
      const url = new URL(`https://app.example.com${PATH}`);
      const event = (method, headers) => ({
        url,
        locals: {},
        request: new Request(url, { method, headers }),
      });
      return {
        send: async (method, headers) => handler(event(method, headers)),
        errors: [],
      };
    },
  },
};
