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

test("a refused file of an anonymous session leaves no object behind", async (t) => {
  const host = await serveHttp((_, response) => response.writeHead(404).end());
  t.after(() => host.stop());
  const upstream = await upstreamOf(t);
  const cwd = await folder(t);
  const { url } = await serve(t, upstream.url, {
    cwd,
    settings: {
      ANONYMOUS_SESSIONS: "on",
      ANONYMOUS_UPLOADS: "1",
      ALLOWED_ORIGINS: ORIGIN,
      INPUT_HOSTS: new URL(host.url).host,
    },
  });
  const move = async (name) => {
    const { data } = await request(`${url}/session`, {
      method: "POST",
      bearer: null,
      headers: { origin: ORIGIN, "x-mediagate": "1" },
    });
    return request(`${url}/api/app/v1/files`, {
      bearer: data.session.token,
      body: { url: `${host.url}/${name}` },
    });
  };
  const transfers = join(cwd, "mediagate-data", "mediagate-Transfer");
  assert.equal((await move("first")).data.reason, "input_unavailable");
  const before = await readdir(transfers);
  assert.ok(before.length > 0);
  for (const name of ["second", "third"])
    assert.equal((await move(name)).data.reason, "budget");
  assert.deepEqual(await readdir(transfers), before);
});
