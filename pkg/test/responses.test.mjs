// Responses that no gateway sends: redirects, endless bodies, and those of another `fetch`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { connect, failure, ok, serve, uploadUrl } from "./support/client.mjs";

const TASK = { code: 0, data: { task: { id: "k", state: "SUCCEEDED" } } };

const connectOnce = (options) => connect({ maxRetries: 0, ...options });

async function start(t, respond) {
  const seen = { requests: [], url: "" };
  seen.url = await serve(t, (request, response) => {
    seen.requests.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => respond(request, response));
  });
  return seen;
}

/** Starts a server that redirects to another, which responds with a task. */
async function startRedirect(t, status) {
  const other = await start(t, (_, response) =>
    response.end(JSON.stringify(TASK)),
  );
  const seen = await start(t, ({ url }, response) =>
    response.writeHead(status, { location: `${other.url}${url}` }).end(),
  );
  return { seen, other };
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`a gateway that redirects (${status}) is an error, and nothing is sent to the other server`, async (t) => {
    const { seen, other } = await startRedirect(t, status);
    const media = await connectOnce({ url: seen.url, maxRetries: 2 });
    const error = await failure(media.textToImage({ prompt: "secret" }));
    assert.deepEqual(
      [error.code, error.status, error.outcome, error.retryable],
      ["unreadable", status, "unknown", false],
    );
    assert.match(error.hint, /check the url/);
    assert.deepEqual([seen.requests.length, other.requests], [1, []]);
  });

  test(`a storage that redirects (${status}) is an error, and the file is sent nowhere else`, async (t) => {
    const { seen, other } = await startRedirect(t, status);
    const media = await connectOnce({
      middleware: (request, next) =>
        request.method === "PUT"
          ? next()
          : ok({ file_id: "f", upload_url: `${seen.url}/put` }),
    });
    const error = await failure(media.upload(new Blob(["x"])));
    assert.deepEqual([error.code, error.status], ["upload_failed", status]);
    assert.deepEqual([seen.requests, other.requests], [["PUT /put"], []]);
  });
}

test("a redirect in a browser is an error", async () => {
  // A browser tells only that there is a redirect.
  const redirect = Object.defineProperties(Response.error(), {
    type: { value: "opaqueredirect" },
  });
  let init;
  const media = await connectOnce({
    fetch: async (_, given) => {
      init = given;
      return redirect;
    },
  });
  const error = await failure(media.models());
  assert.deepEqual([error.code, error.status], ["unreadable", 302]);
  assert.equal(init.redirect, "manual");
});

test("an upload does not wait for the end of the storage's body", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: () => new Promise(() => {}),
    cancel: () => {
      isCancelled = true;
    },
  });
  const media = await connectOnce({
    fetch: async (_, { method }) =>
      method === "PUT" ? new Response(body, { status: 201 }) : uploadUrl(),
  });
  const upload = media.upload(new Blob(["x"]));
  const late = delay(2_000, "late", { ref: true });
  assert.equal(await Promise.race([upload, late]), "f");
  assert.ok(isCancelled);
});

/** A response of another implementation, such as that of `node-fetch`. */
class OtherResponse {
  ok = true;
  status = 200;

  constructor(text, headers = {}) {
    this.text = async () => text;
    this.headers = new Map(Object.entries(headers));
  }
}

test("the response of another implementation is read", async () => {
  const lines = [];
  const media = await connectOnce({
    fetch: async () =>
      new OtherResponse(JSON.stringify(TASK), { "x-request-id": "r-1" }),
    logger: { debug: (...line) => lines.push(line), warn: assert.fail },
  });
  const task = await media.textToImage({ prompt: "p" });
  assert.equal(task.state, "SUCCEEDED");
  assert.deepEqual([lines[0][1].status, lines[0][1].requestId], [200, "r-1"]);
});

test("a header that is no text counts as missing", async () => {
  const headers = { "x-request-id": 7, "content-type": ["text/plain"] };
  const media = await connectOnce({
    fetch: async () => new OtherResponse(JSON.stringify(TASK), headers),
  });
  const task = await media.textToImage({ prompt: "p" });
  assert.equal(task.state, "SUCCEEDED");
});

test("an event stream of another implementation is closed, and the task is polled", async () => {
  let isClosed = false;
  const media = await connectOnce({
    fetch: async (url) => {
      if (!url.endsWith("/events"))
        return new OtherResponse(JSON.stringify(TASK));
      const response = new OtherResponse("", {
        "content-type": "text/event-stream",
      });
      response.text = () => new Promise(() => {});
      const destroy = () => {
        isClosed = true;
      };
      return Object.assign(response, { body: { destroy } });
    },
  });
  const task = media.tasks.restore({ id: "k", capability: "text_to_image" });
  const { state } = await task.done({ timeout: 5_000 });
  assert.deepEqual([state, isClosed], ["SUCCEEDED", true]);
});
