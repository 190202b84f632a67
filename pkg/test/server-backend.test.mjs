// `mediagate/server` in an app's backend: behind a real gateway, and with what frameworks do of their own.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import express from "express";
import { HTTPException } from "hono/http-exception";
import navigation from "next/navigation.js";
import { SETTINGS, startGateway } from "../../tests/support/gateway.mjs";
import { listen } from "../../tests/support/listen.mjs";
import { request } from "../../tests/support/request.mjs";
import { startUpstream } from "../../tests/support/upstream.mjs";
import { OTHER, SECRET } from "./support/deliveries.mjs";
import { FRAMEWORKS } from "./support/frameworks.mjs";
import { rejection, server } from "./support/server.mjs";

const secret = SETTINGS.SESSION_SECRET;

/** A server of an Express app, closed after its test: its URL. */
async function listening(t, app) {
  const listener = createServer(app);
  t.after(async () => {
    listener.closeAllConnections();
    listener.close();
    await once(listener, "close");
  });
  return listen(listener);
}

/** An upstream whose tasks end at once in this state, and a gateway that notifies these endpoints: its URL. */
async function gatewayOf(t, status, endpoints) {
  const task = { id: "t", status, outputs: [{ url: "https://h/a.png" }] };
  const upstream = await startUpstream(() => ({
    json: { code: 0, data: { task } },
  }));
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    WEBHOOK_URLS: endpoints.join(","),
    WEBHOOK_LOOPBACK: "on",
    WEBHOOK_SECRET: `${OTHER},${SECRET}`,
  });
  t.after(() => Promise.all([gateway.stop(), upstream.stop()]));
  return gateway.url;
}

test("an app's backend: its token creates a task, of whose end it gets a webhook", async (t) => {
  const app = express();
  const events = [];
  let arrived;
  const both = new Promise((resolve) => {
    arrived = resolve;
  });
  const note = (event) => events.push(event) === 2 && arrived();
  const authenticate = async () => ({ subject: "alice", scope: "generate:*" });
  app.post("/session", server.expressSessionHandler({ secret, authenticate }));
  app.post(
    "/hook",
    express.raw({ type: "application/json" }),
    async (incoming, response) => {
      note(
        await server.verifyWebhook(incoming, SECRET).catch((error) => error),
      );
      response.sendStatus(204);
    },
  );
  // What many apps have: the body is parsed, so it can't be verified.
  app.post("/parsed", express.json(), async (incoming, response) => {
    note(await rejection(server.verifyWebhook(incoming, SECRET)));
    response.sendStatus(204);
  });
  const url = await listening(t, app);
  const gateway = await gatewayOf(t, "SUCCEEDED", [
    `${url}/hook`,
    `${url}/parsed`,
  ]);

  const { data } = await request(`${url}/session`, { method: "POST" });
  const path = "/api/app/v1/generate/image/text_to_image_turbo";
  const created = await request(`${gateway}${path}`, {
    bearer: data.session.token,
    body: { prompt: "p" },
  });
  assert.equal(created.status, 200, created.text);
  await both;

  const event = events.find((it) => it.type);
  const error = events.find((it) => it.code);
  assert.equal(event?.type, "task.succeeded", inspect(events));
  assert.match(event.id, /^msg_\w{32}$/);
  assert.ok(Math.abs(Date.now() - Date.parse(event.timestamp)) < 60_000);
  const { task, subject } = event.data;
  assert.deepEqual([task.id, task.state], [created.data.task.id, "SUCCEEDED"]);
  assert.equal(task.outputs[0].url, "https://h/a.png");
  assert.deepEqual(subject, { source: "hs256", issuer: "", name: "alice" });
  assert.equal(error.code, "unusable_body");
  assert.match(error.message, /express\.raw/);
});

/** Names and types of what JSON has, with its structure. */
const shapeOf = (value) =>
  value && typeof value === "object"
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((it) => [it, shapeOf(value[it])]),
      )
    : typeof value;

test("a handler's responses have the shape of the gateway's own", async (t) => {
  const origin = "https://app.example.com";
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: "http://127.0.0.1:9",
    ALLOWED_ORIGINS: origin,
    ANONYMOUS_SESSIONS: "on",
  });
  t.after(() => gateway.stop());
  const headers = { origin, "x-mediagate": "1" };
  const own = await request(`${gateway.url}/session`, {
    method: "POST",
    bearer: null,
    headers,
  });
  const refused = await request(`${gateway.url}/session`, {
    method: "PUT",
    bearer: null,
    headers,
  });
  const { send } = await FRAMEWORKS.Express.start(
    server,
    { secret, authenticate: () => ({ subject: "a" }) },
    t,
  );
  const bodies = await Promise.all(
    ["POST", "PUT"].map(async (it) => (await send(it)).json()),
  );
  assert.deepEqual(shapeOf(bodies[0]), shapeOf(JSON.parse(own.text)));
  const { request_id, ...data } = refused.data;
  assert.deepEqual(
    [bodies[1].code, bodies[1].message, bodies[1].data],
    [refused.code, refused.message, data],
  );
});

test("options that are not valid are an error before any request", () => {
  const authenticate = () => undefined;
  const wrong = [
    undefined,
    {},
    { secret },
    { secret, authenticate: "alice" },
    { secret, authenticate, budgets: {} },
    { secret, authenticate, subject: "alice" },
    { secret, authenticate, tokenId: "session-7" },
    { secret, authenticate, expiresIn: 7200 },
    { secret, authenticate, scope: "image-to-video" },
    { secret, authenticate, budget: { create: 1 } },
  ];
  const handlers = Object.entries(server).filter(([it]) =>
    it.endsWith("SessionHandler"),
  );
  assert.equal(handlers.length, 4);
  for (const [name, make] of handlers) {
    for (const options of wrong)
      assert.throws(() => make(options), { code: "invalid_argument" }, name);
    // The environment of a build has no secrets.
    assert.equal(typeof make({ secret: undefined, authenticate }), "function");
  }
});

// --- what frameworks do of their own ---

test("Next.js: redirect and notFound in authenticate are Next's own to respond to", async () => {
  for (const [run, digest] of /** @type {[() => never, RegExp][]} */ ([
    [() => navigation.redirect("/sign-in"), /^NEXT_REDIRECT/],
    [() => navigation.notFound(), /404/],
  ])) {
    const handler = server.nextSessionHandler({
      secret,
      authenticate: async () => run(),
    });
    const error = await rejection(
      handler(new Request("https://app.example.com/", { method: "POST" }), {}),
    );
    assert.match(error.digest, digest);
  }
});

test("Hono: an HTTPException in authenticate is Hono's own to respond to", async (t) => {
  const authenticate = () => {
    throw new HTTPException(403, { message: "blocked" });
  };
  const { send } = await FRAMEWORKS.Hono.start(
    server,
    { secret, authenticate },
    t,
  );
  const response = await send("POST");
  assert.deepEqual([response.status, await response.text()], [403, "blocked"]);
});

test("SvelteKit: what error and redirect throw, which is no Error, is SvelteKit's own to respond to", async (t) => {
  for (const thrown of [
    { status: 403, body: { message: "blocked" } },
    { status: 303, location: "/sign-in" },
  ]) {
    const authenticate = () => Promise.reject(thrown);
    const { send } = await FRAMEWORKS.SvelteKit.start(
      server,
      { secret, authenticate },
      t,
    );
    assert.equal(await rejection(send("POST")), thrown);
  }
});

test("Express: where a middleware has responded meanwhile, nothing is sent", async (t) => {
  const app = express();
  const handler = server.expressSessionHandler({
    secret,
    authenticate: async () => ({ subject: "alice" }),
  });
  let ended;
  app.post("/", (incoming, response, next) => {
    ended = handler(incoming, response, next);
    response.status(503).end("late");
  });
  const response = await fetch(await listening(t, app), { method: "POST" });
  assert.deepEqual([response.status, await response.text()], [503, "late"]);
  await ended;
});
