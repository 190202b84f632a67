// nginx before the gateway, with the example's configuration.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:https";
import { test } from "node:test";
import { startEmulator } from "../../support/emulator.mjs";
import { picture } from "../../support/fixtures.mjs";
import { folder } from "../../support/folder.mjs";
import { token } from "../../support/token.mjs";
import { serve } from "../support.mjs";
import { NO_NGINX, startNginx } from "./proxies.mjs";

const API = "/api/app/v1";
const ORIGIN = "https://page.example";
/** Seconds that a task takes. A buffered event could not be this early by chance. */
const TASK_SECONDS = 20;

/**
 * Sends a request with a token, and accepts any certificate. Resolves to the head of the response.
 *
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string | Buffer }} [options]
 * @returns {Promise<import("node:http").IncomingMessage>}
 */
async function send(url, { method, headers, body } = {}) {
  const sent = request(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${token()}`, ...headers },
    rejectUnauthorized: false,
  }).end(body);
  const [response] = await once(sent, "response");
  return response;
}

/** Sends a request, and resolves to the envelope's data. */
async function dataOf(url, options) {
  const response = await send(url, options);
  const text = (await response.toArray()).join("");
  assert.equal(response.statusCode, 200, text);
  return JSON.parse(text).data;
}

test("with the example's configuration, nginx passes on events at once, uploads and the caller's address", {
  skip: NO_NGINX,
}, async (t) => {
  const emulator = await startEmulator([
    "--task-seconds",
    String(TASK_SECONDS),
  ]);
  t.after(() => emulator.stop());
  const { url: gateway } = await serve(t, emulator.url, {
    cwd: await folder(t),
    args: ["--trust-proxy", "127.0.0.1"],
    settings: {
      UPLOAD_MODE: "relay",
      UPLOAD_HOSTS: "127.0.0.1",
      ALLOWED_ORIGINS: ORIGIN,
      ANONYMOUS_SESSIONS: "on",
      RATE_LIMIT_PER_MINUTE: "5",
    },
  });
  const url = await startNginx(t, gateway);

  await t.test("an upload larger than nginx's own limit passes", async () => {
    const bytes = Buffer.concat([picture(40, 30), Buffer.alloc(3_000_000)]);
    const { upload_url } = await dataOf(`${url}${API}/upload_urls`, {
      body: JSON.stringify({
        file_name: "a.png",
        content_type: "image/png",
        size: bytes.length,
      }),
    });
    assert.ok(upload_url.startsWith(`https://127.0.0.1${API}/uploads/`));
    const stored = await send(`${url}${new URL(upload_url).pathname}`, {
      method: "PUT",
      headers: { "content-type": "image/png" },
      body: bytes,
    });
    assert.equal(stored.statusCode, 200, (await stored.toArray()).join(""));
  });

  await t.test("the first event of a stream arrives at once", async () => {
    const { task } = await dataOf(
      `${url}${API}/generate/image/text_to_image_turbo`,
      { body: JSON.stringify({ prompt: "p" }) },
    );
    const start = Date.now();
    const stream = await send(`${url}${API}/tasks/${task.id}/events`);
    let text = "";
    for await (const chunk of stream) {
      text += chunk;
      if (/^data:/m.test(text)) break;
    }
    assert.match(text, /^data:/m);
    assert.ok(Date.now() - start < 5_000, `${Date.now() - start} ms`);
  });

  await t.test("a caller does not choose its address", async () => {
    const statuses = [];
    for (const number of [1, 2, 3, 4, 5, 6]) {
      const response = await send(`${url}/session`, {
        method: "POST",
        headers: {
          authorization: "",
          origin: ORIGIN,
          "x-mediagate": "1",
          "x-forwarded-for": `192.0.2.${number}`,
          "x-forwarded-proto": "http",
        },
      });
      response.resume();
      statuses.push(response.statusCode);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });
});
