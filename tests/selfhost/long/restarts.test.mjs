// Changes of settings and restarts while callers create and read, directly and behind the proxies
// of the examples.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { holdSocket } from "../../../gateway/src/workerd/socket.js";
import { folder } from "../../support/folder.mjs";
import { token } from "../../support/token.mjs";
import { startUpstream } from "../../support/upstream.mjs";
import { taskResponse } from "../../support/world.mjs";
import { serve, serveActivated } from "../support.mjs";
import { NO_CADDY, NO_NGINX, startCaddy, startNginx } from "./proxies.mjs";

const API = "/api/app/v1";
const RESTARTS = 3;

/** Sends a request on a connection of its own, and resolves to the status or the error. */
const send = (url, body) =>
  new Promise((resolve) => {
    const sent = (url.startsWith("https:") ? sendHttps : sendHttp)(
      url,
      {
        agent: false,
        method: body ? "POST" : "GET",
        rejectUnauthorized: false,
        headers: {
          authorization: `Bearer ${token()}`,
          ...(body && {
            "content-type": "application/json",
            "idempotency-key": randomUUID(),
          }),
        },
      },
      (response) => resolve(response.resume().statusCode),
    );
    sent.on("error", (error) => resolve(error.message));
    sent.end(body);
  });

/**
 * Lets eight callers create and read through a proxy, and calls `restart` several times meanwhile.
 * Resolves to everything that was not served.
 */
async function failures(url, restart) {
  const state = { isOver: false, served: 0, others: [] };
  const create = JSON.stringify({ prompt: "p" });
  const callers = Array.from({ length: 8 }, async (_, number) => {
    while (!state.isOver) {
      const isCreate = number % 2 === 0;
      const path = isCreate ? "generate/image/text_to_image_turbo" : "tasks";
      const outcome = await send(`${url}${API}/${path}`, isCreate && create);
      if (outcome === 200) state.served += 1;
      else state.others.push(outcome);
    }
  });
  for (let count = 1; count <= RESTARTS; count += 1) {
    const { served } = state;
    while (state.served < served + 8) await sleep(20);
    await restart(count);
  }
  state.isOver = true;
  await Promise.all(callers);
  return state.others;
}

/** Starts an upstream whose creates take up to five seconds. */
async function startSlow(t) {
  const upstream = await startUpstream(async ({ method }) => {
    if (method === "POST") await sleep(Math.random() * 5_000);
    return taskResponse("QUEUED");
  });
  t.after(() => upstream.stop());
  return upstream;
}

const OPTIONS = {
  settings: { RATE_LIMIT_PER_MINUTE: "0" },
  args: ["--trust-proxy", "127.0.0.1"],
};

for (const [name, startProxy, skip] of /** @type {const} */ ([
  ["nginx", startNginx, NO_NGINX],
  ["Caddy", startCaddy, NO_CADDY],
])) {
  test(`behind ${name}, no request fails while the settings change`, {
    skip,
  }, async (t) => {
    const upstream = await startSlow(t);
    const cwd = await folder(t);
    const gateway = await serve(t, upstream.url, { cwd, ...OPTIONS });
    const url = await startProxy(t, gateway.url);
    const restarts = () =>
      gateway.printed.err.split("has read its settings again").length - 1;
    const restart = async (count) => {
      gateway.child.kill("SIGHUP");
      while (restarts() < count) await sleep(20);
    };
    assert.deepEqual(await failures(url, restart), []);
  });

  test(`behind ${name}, no request fails while a unit with a socket is restarted`, {
    skip,
  }, async (t) => {
    const upstream = await startSlow(t);
    const cwd = await folder(t);
    const { fd, port, close } = await holdSocket("127.0.0.1", 0);
    t.after(close);
    const start = () =>
      serveActivated(t, upstream.url, { cwd, fd, ...OPTIONS });
    const state = { running: await start() };
    const url = await startProxy(t, `http://127.0.0.1:${port}`);
    const restart = async () => {
      await state.running.stop();
      state.running = await start();
    };
    assert.deepEqual(await failures(url, restart), []);
  });
}
