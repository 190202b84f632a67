// Changes of settings while callers create and read, directly and behind the examples' proxies.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "../../support/folder.mjs";
import { token } from "../../support/token.mjs";
import { startUpstream } from "../../support/upstream.mjs";
import { serve } from "../support.mjs";
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

for (const [name, startProxy, skip] of /** @type {const} */ ([
  ["nothing", async (_, url) => url, false],
  ["nginx", startNginx, NO_NGINX],
  ["Caddy", startCaddy, NO_CADDY],
]))
  test(`behind ${name}, no request fails while the settings change`, {
    skip,
  }, async (t) => {
    const upstream = await startUpstream(async ({ method }) => {
      if (method === "POST") await sleep(Math.random() * 5_000);
      return {
        json: { code: 0, data: { task: { id: "t", status: "QUEUED" } } },
      };
    });
    t.after(() => upstream.stop());
    const gateway = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: { RATE_LIMIT_PER_MINUTE: "0" },
      args: ["--trust-proxy", "127.0.0.1"],
    });
    const url = await startProxy(t, gateway.url);
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
    const isRestarted = (count) =>
      gateway.printed.err.split("has read its settings again").length > count;
    for (let count = 1; count <= RESTARTS; count += 1) {
      const { served } = state;
      while (state.served < served + 8) await sleep(20);
      gateway.child.kill("SIGHUP");
      while (!isRestarted(count)) await sleep(20);
    }
    state.isOver = true;
    await Promise.all(callers);
    assert.deepEqual(state.others, []);
  });
