// Text that was cut in the middle of a character passes in both directions, because JavaScript can
// write and read it.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { request } from "../support/request.mjs";
import { startWorld, TURBO, taskResponse } from "../support/world.mjs";

const CUT = "a boat 😀".slice(0, -1);
const READ = "a boat \u{fffd}";
/** Returns a response whose record repeats the prompt as the caller cut it. */
const task = (status) => taskResponse(status, "t", { prompt: CUT });

const { upstream, gateway } = await startWorld(() => task("QUEUED"));
const api = `${gateway.url}/api/app/v1`;
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.respond = () => task("QUEUED");
});

/** Returns the body of the create that reached the upstream. */
const sent = () =>
  JSON.parse(upstream.seen.find(({ method }) => method === "POST").body);

test("a create with a cut prompt is sent, and its task and status are read", async () => {
  const created = await request(`${api}/${TURBO}`, { body: { prompt: CUT } });
  assert.equal(created.status, 200, created.text);
  assert.equal(sent().prompt, READ);
  assert.equal(created.data.task.prompt, READ);
  upstream.respond = () => task("SUCCEEDED");
  const { id } = created.data.task;
  const read = await request(`${api}/generate/tasks/${id}`);
  assert.deepEqual(
    [read.status, read.data.task.state, read.data.task.prompt],
    [200, "SUCCEEDED", READ],
  );
});

test("a record with bytes that are no UTF-8 is read", async () => {
  const body = Buffer.from(
    JSON.stringify(task("QUEUED").json).replace(/\\ud83d/, "¿"),
  );
  body[body.indexOf("¿")] = 0xff;
  upstream.respond = () => ({
    headers: { "content-type": "application/json" },
    body,
  });
  const created = await request(`${api}/${TURBO}`, { body: { prompt: "p" } });
  assert.equal(created.status, 200, created.text);
  assert.ok(created.data.task.prompt.startsWith("a boat \u{fffd}"));
});

test("an agent's cut prompt is sent", async () => {
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "mediagate_text_to_image_turbo",
      arguments: { prompt: CUT },
    },
  };
  const response = await request(`${gateway.url}/mcp`, {
    body: call,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
  });
  assert.equal(response.status, 200, response.text);
  assert.equal(sent().prompt, READ);
});
