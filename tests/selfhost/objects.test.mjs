// A refused request of `serve` leaves no Durable Object behind.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { folder } from "../support/folder.mjs";
import { request } from "../support/request.mjs";
import { serve as serveHttp } from "../support/transfers.mjs";
import { serve, upstreamOf } from "./support.mjs";

const ORIGIN = "https://app.example.com";

/** Starts `serve` with anonymous sessions. */
async function serveAnonymous(t, settings) {
  const upstream = await upstreamOf(t);
  const cwd = await folder(t);
  const { url } = await serve(t, upstream.url, {
    cwd,
    settings: {
      ANONYMOUS_SESSIONS: "on",
      ALLOWED_ORIGINS: ORIGIN,
      ...settings,
    },
  });
  /** Sends a request as a new anonymous subject. */
  const send = async (path, body) => {
    const { data } = await request(`${url}/session`, {
      method: "POST",
      bearer: null,
      headers: { origin: ORIGIN, "x-mediagate": "1" },
    });
    const bearer = data.session.token;
    return request(`${url}/api/app/v1/${path}`, { bearer, body });
  };
  /** Resolves to the databases of a class of objects. */
  const databases = (name) =>
    readdir(join(cwd, "mediagate-data", `mediagate-${name}`));
  return { send, databases };
}

test("a refused file of an anonymous session leaves no object behind", async (t) => {
  const host = await serveHttp((_, response) => response.writeHead(404).end());
  t.after(() => host.stop());
  const { send, databases } = await serveAnonymous(t, {
    ANONYMOUS_UPLOADS: "1",
    INPUT_HOSTS: new URL(host.url).host,
  });
  const move = (name) => send("files", { url: `${host.url}/${name}` });
  assert.equal((await move("first")).data.reason, "input_unavailable");
  const before = await databases("Transfer");
  assert.ok(before.length > 0);
  for (const name of ["second", "third"])
    assert.equal((await move(name)).data.reason, "budget");
  assert.deepEqual(await databases("Transfer"), before);
});

test("a create that no budget allows leaves no ledger behind", async (t) => {
  const { send, databases } = await serveAnonymous(t, {
    ANONYMOUS_BUDGET: "20",
    DEFAULT_BUDGET: '{"creates":0}',
  });
  const create = () =>
    send("generate/image/text_to_image_turbo", { prompt: "a boat" });
  // The first one starts the pool of all anonymous callers.
  assert.equal((await create()).data.reason, "budget");
  const before = await databases("Ledger");
  const refused = await create();
  assert.deepEqual(
    [refused.status, refused.data.reason, refused.data.outcome],
    [429, "budget", "not_sent"],
  );
  assert.deepEqual(await databases("Ledger"), before);
});
