// An agent passes a file by its URL: the gateway loads it, within the operator's list of hosts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { BYTES, sha256, withTransfers } from "../support/transfers.mjs";
import { call, legacy, refusal } from "./support/client.mjs";

const ORIGIN = "https://app.example.com";

/** Serves the bytes with these headers. */
const file = (headers) => (_, response) =>
  response
    .writeHead(200, { "content-length": BYTES.length, ...headers })
    .end(BYTES);
const redirect = (location) => (_, response) =>
  response.writeHead(302, { location }).end();

/** The headers of each request for the photo. @type {any[]} */
const seen = [];
const HOST = {
  "/photo.png": (request, response) => {
    seen.push(request.headers);
    file({ "content-type": "image/png" })(request, response);
  },
  "/unknown": file({ "content-type": "application/octet-stream" }),
  "/untyped": file({}),
  "/page": file({ "content-type": "text/html; charset=utf-8" }),
  "/moved": redirect("/photo.png"),
  "/metadata": redirect("http://169.254.169.254/latest/meta-data"),
  "/loop": redirect("/loop"),
  "/private": (_, response) => response.writeHead(401).end(),
  "/huge": (_, response) =>
    response
      .writeHead(200, { "content-type": "image/png", "content-length": 1e10 })
      .write(BYTES),
};

/** Calls the tool, and returns its result or, of a refusal, the status' reason. */
const load = async (gateway, input, options) => {
  const result = await call(gateway, "upload_from_url", input, options);
  return result.isError
    ? refusal(result).data.reason
    : result.structuredContent;
};

test("a file is loaded once, byte for byte, without anything of the gateway's", () =>
  withTransfers(HOST, async ({ gateway, host, storage, send, uploads }) => {
    const url = `${host.url}/photo.png`;
    const { file_id, size } = await load(gateway, { url });
    assert.equal(size, BYTES.length);
    assert.equal(storage.stored[0].hash, sha256(BYTES));
    assert.equal(storage.stored[0].headers["content-type"], "image/png");
    const { file_name, content_type } = uploads[0];
    assert.deepEqual([file_name, content_type], ["photo.png", "image/png"]);
    const again = await load(gateway, { url });
    assert.deepEqual([again.file_id, uploads.length], [file_id, 1]);
    const [headers] = seen;
    for (const name of ["authorization", "cookie", "x-api-key", "origin"])
      assert.equal(headers[name], undefined, name);

    const body = { file_id, prompt: "slow push in" };
    const path = "generate/video/image_to_video";
    assert.equal((await send(path, { body })).status, 200);
    const bearer = token("bob");
    assert.equal((await send(path, { body, bearer })).status, 400);
    const own = await load(gateway, { url }, { bearer });
    assert.notEqual(own.file_id, file_id);
  }));

test("a redirect leads to an allowed host only, and a file has a media type that a field takes", () =>
  withTransfers(
    HOST,
    async ({ gateway, host, uploads }) => {
      const of = (path, more) =>
        load(gateway, { url: host.url + path, ...more });
      assert.equal((await of("/moved")).size, BYTES.length);
      assert.equal(await of("/metadata"), "output_host_not_allowed");
      assert.equal(await of("/loop"), "output_unavailable");
      assert.equal(host.seen.filter((seen) => seen === "GET /loop").length, 4);
      assert.equal(await of("/private"), "output_unavailable");
      assert.equal(await of("/huge"), "file_too_large");
      uploads.length = 0;
      const as = { content_type: "video/mp4" };
      for (const path of ["/unknown", "/untyped"]) {
        assert.equal(await of(path), "invalid_fields", path);
        assert.equal((await of(path, as)).size, BYTES.length, path);
        assert.equal(uploads.at(-1).content_type, "video/mp4");
      }
      assert.equal(await of("/page", as), "invalid_fields");
      assert.equal(
        await of("/untyped", { content_type: "text/html" }),
        "invalid_fields",
      );
      assert.equal(uploads.length, 2);
    },
    { settings: { MAX_UPLOAD_BYTES: "1000000000" } },
  ));

test("no request is sent for a URL that is not allowed, whatever it looks like", () =>
  withTransfers(
    HOST,
    async ({ gateway, host, open }) => {
      for (const url of [
        `${host.url}/photo.png`,
        "https://localhost/photo.png",
        "https://10.0.0.1/photo.png",
        "https://[::1]/photo.png",
        "https://intranet/photo.png",
        "https://user:password@example.com/photo.png",
        "http://example.com/photo.png",
        "file:///etc/passwd",
        `https://example.com/${"x".repeat(5_000)}`,
        "no URL",
      ])
        assert.equal(
          await load(gateway, { url }),
          "output_host_not_allowed",
          url,
        );
      for (const input of [
        {},
        { url: 5 },
        { url: "https://a.example/", size: 1 },
        { url: "https://a.example/", content_type: "png" },
        { url: "https://a.example/", content_type: "text/html" },
      ])
        assert.equal(await load(gateway, input), "invalid_fields");
      const bearer = token("reader", "generate:*");
      const url = "https://example.com/photo.png";
      assert.equal(await load(gateway, { url }, { bearer }), "scope");
      const opened = await open({ origin: ORIGIN, "x-mediagate": "1" });
      const anonymous = { bearer: opened.data.session.token };
      assert.equal(await load(gateway, { url }, anonymous), "scope");
      assert.deepEqual(host.seen, []);
    },
    {
      settings: {
        UPLOAD_FROM_HOSTS: "*",
        RATE_LIMIT_PER_MINUTE: "1000",
        ANONYMOUS_SESSIONS: "on",
        ALLOWED_ORIGINS: ORIGIN,
      },
    },
  ));

test("there is no such tool unless the operator allows hosts", () =>
  withTransfers(
    HOST,
    async ({ gateway }) => {
      const { tools } = (await legacy(gateway, "tools/list")).last.result;
      assert.ok(tools.every(({ name }) => !name.includes("from_url")));
      const { last } = await legacy(gateway, "tools/call", {
        name: "mediagate_upload_from_url",
        arguments: { url: "https://example.com/photo.png" },
      });
      assert.equal(last.error.code, -32602);
    },
    { settings: { UPLOAD_FROM_HOSTS: "" } },
  ));
