// A file at a URL becomes an input. The gateway moves it, if the host is in the operator's list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import {
  BYTES,
  refused,
  sha256,
  withTransfers,
} from "../support/transfers.mjs";

const ORIGIN = "https://app.example.com";
const IMAGE = "generate/video/image_to_video";

/** Serves the bytes with these headers. */
const file = (headers) => (_, response) =>
  response
    .writeHead(200, { "content-length": BYTES.length, ...headers })
    .end(BYTES);
const redirect = (location) => (_, response) =>
  response.writeHead(302, { location }).end();
const status = (code) => (_, response) => response.writeHead(code).end();

/** @type {any[]} the headers of each request for the photo */
const seen = [];
const HOST = {
  "/photo.png": (request, response) => {
    seen.push(request.headers);
    file({ "content-type": "image/png" })(request, response);
  },
  "/unknown": file({ "content-type": "application/octet-stream" }),
  "/untyped": file({}),
  "/page": file({ "content-type": "text/html; charset=utf-8" }),
  "/film": file({ "content-type": "video/mp4" }),
  "/document": file({ "content-type": "application/pdf" }),
  "/moved": redirect("/photo.png"),
  "/metadata": redirect("http://169.254.169.254/latest/meta-data"),
  "/intranet": redirect("https://10.0.0.1/photo.png"),
  "/to-file": redirect("file:///etc/passwd"),
  "/to-login": redirect("https://user:password@example.com/photo.png"),
  "/loop": redirect("/loop"),
  "/nowhere": status(302),
  "/unauthorized": status(401),
  "/forbidden": status(403),
  "/gone": status(404),
  "/broken": status(503),
  "/lost": (_, response) => response.destroy(),
  "/silent": () => {},
  "/empty": (_, response) =>
    response
      .writeHead(200, { "content-type": "image/png", "content-length": 0 })
      .end(),
  "/huge": (_, response) =>
    response
      .writeHead(200, { "content-type": "image/png", "content-length": 1e10 })
      .write(BYTES),
  "/endless": async (_, response) => {
    response.writeHead(200, { "content-type": "image/png" });
    while (!response.destroyed) {
      response.write(BYTES);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  "/longer": (_, response) =>
    response
      .writeHead(200, {
        "content-type": "image/png",
        "content-length": BYTES.length + 1,
      })
      .write(BYTES, () => response.destroy()),
};

/** Runs a test with a function that moves the file at a path of the host, or at a whole URL. */
const withFiles = (run, options) =>
  withTransfers(
    HOST,
    (all) => {
      const move = (path, more, init = {}) => {
        const url = path.startsWith("/") ? all.host.url + path : path;
        return all.send("files", { body: { url, ...more }, ...init });
      };
      return run({ ...all, move });
    },
    options,
  );

test("a file is moved once, byte for byte, and its host gets nothing of the caller's or the gateway's", () =>
  withFiles(async ({ move, storage, uploads, send, created }) => {
    const moved = await move("/photo.png", { kind: "image" });
    assert.deepEqual([moved.status, moved.data.size], [200, BYTES.length]);
    assert.equal(storage.stored[0].hash, sha256(BYTES));
    const { file_name, content_type } = uploads[0];
    assert.deepEqual([file_name, content_type], ["photo.png", "image/png"]);
    const { file_id } = moved.data;
    const again = await move("/photo.png", { kind: "image" });
    assert.deepEqual([again.data.file_id, uploads.length], [file_id, 1]);
    for (const name of ["authorization", "cookie", "x-api-key", "origin"])
      assert.equal(seen[0][name], undefined, name);

    const body = { file_id, prompt: "slow push in" };
    assert.equal((await send(IMAGE, { body })).status, 200);
    assert.equal(created[0].file_id, "file-1");
    const bearer = token("bob");
    assert.equal((await send(IMAGE, { body, bearer })).status, 400);
    const own = await move("/photo.png", { kind: "image" }, { bearer });
    assert.notEqual(own.data.file_id, file_id);
  }));

test("a file of another kind than the caller needs is not stored", () =>
  withFiles(async ({ move, uploads }) => {
    for (const [path, kind] of [
      ["/page", undefined],
      ["/page", "image"],
      ["/film", "image"],
      ["/photo.png", "video"],
      ["/photo.png", "audio"],
      ["/photo.png", "pdf"],
      ["/document", "image"],
      ["/untyped", "pdf"],
    ]) {
      const reply = await move(path, { kind });
      assert.deepEqual(refused(reply), [400, 12, "invalid_fields"], path);
      assert.match(reply.message, /give the URL of the file itself/);
    }
    assert.deepEqual(uploads, []);
    assert.match(
      (await move("/film", { kind: "image" })).message,
      /of the type video\/mp4, which is no image/,
    );
    // A file with the type of a video may contain only sound.
    for (const [path, kind] of [
      ["/photo.png", "image"],
      ["/film", "video"],
      ["/film", "audio"],
      ["/document", "pdf"],
    ])
      assert.equal((await move(path, { kind })).status, 200, path + kind);
    // The caller's media type counts if the server states none.
    const content_type = "image/webp";
    for (const path of ["/unknown", "/untyped"]) {
      const moved = await move(path, { content_type, kind: "image" });
      assert.equal(moved.status, 200, path);
      assert.equal(uploads.at(-1).content_type, content_type);
    }
    const page = await move("/page", { content_type, kind: "image" });
    assert.deepEqual(refused(page), [400, 12, "invalid_fields"]);
  }));

test("a redirect must stay within the listed hosts, and a host that requires a login is refused", () =>
  withFiles(async ({ move, host, uploads }) => {
    assert.equal((await move("/moved")).data.size, BYTES.length);
    uploads.length = 0;
    const HOST_REFUSED = [422, 12, "input_host_not_allowed"];
    const LOGIN = [422, 12, "input_needs_login"];
    const UNAVAILABLE = [422, 12, "input_unavailable"];
    for (const [path, ...expected] of [
      ["/metadata", ...HOST_REFUSED],
      ["/intranet", ...HOST_REFUSED],
      ["/to-file", ...HOST_REFUSED],
      ["/to-login", ...HOST_REFUSED],
      ["/loop", ...UNAVAILABLE],
      ["/nowhere", ...UNAVAILABLE],
      ["/gone", ...UNAVAILABLE],
      ["/unauthorized", ...LOGIN],
      ["/forbidden", ...LOGIN],
      ["/broken", 502, 99, "input_unreachable"],
      ["/lost", 502, 99, "input_unreachable"],
    ]) {
      const reply = await move(String(path));
      assert.deepEqual(refused(reply), expected, String(path));
    }
    const requests = host.seen.filter((line) => line === "GET /loop").length;
    assert.equal(requests, 4);
    const { message } = await move("/forbidden");
    assert.match(message, /give one that is loaded without a login/);
    const login = host.url.replace("://", "://user:password@");
    for (const url of [
      `${login}/photo.png`,
      "https://user@elsewhere.example/a",
    ]) {
      const reply = await move(url);
      assert.deepEqual(refused(reply), LOGIN, url);
      assert.ok(!reply.text.includes("user@"), reply.text);
      assert.ok(!reply.text.includes("user:password"), reply.text);
    }
    assert.deepEqual(uploads, []);
  }));

test("a file that is empty, too large, without a length or silent is refused", () =>
  withFiles(
    async ({ move, uploads }) => {
      for (const [path, ...expected] of [
        ["/empty", 400, 12, "file_too_large"],
        ["/huge", 400, 12, "file_too_large"],
        ["/endless", 422, 12, "output_without_length"],
        ["/silent", 502, 99, "input_unreachable"],
      ]) {
        const reply = await move(String(path));
        assert.deepEqual(refused(reply), expected, String(path));
      }
      assert.deepEqual(uploads, []);
      const longer = await move("/longer");
      assert.deepEqual(refused(longer), [502, 99, "transfer_interrupted"]);
    },
    { settings: { MAX_UPLOAD_BYTES: "1000000000" } },
  ));

test("an endless file ends at MAX_UPLOAD_BYTES if the storage accepts one without a length", () =>
  withFiles(
    async ({ move, storage }) => {
      const reply = await move("/endless");
      assert.deepEqual(refused(reply), [400, 12, "file_too_large"]);
      assert.deepEqual(storage.stored, []);
      for (const bytes of storage.aborted)
        assert.ok(bytes <= 2 * BYTES.length, `${bytes} bytes`);
    },
    {
      settings: {
        MAX_UPLOAD_BYTES: String(2 * BYTES.length),
        UPSTREAM_DIALECT: JSON.stringify({
          upload: { send: { without_length: true } },
        }),
      },
    },
  ));

test("no request is sent for a URL that is not allowed, whatever it looks like", () =>
  withFiles(
    async ({ move, send, host }) => {
      for (const url of [
        `${host.url}/photo.png`,
        "https://localhost/photo.png",
        "https://10.0.0.1/photo.png",
        "https://2130706433/photo.png",
        "https://[::1]/photo.png",
        "https://[::ffff:169.254.169.254]/latest/meta-data",
        "https://intranet/photo.png",
        "https://metadata.google.internal/",
        "http://example.com/photo.png",
        "https://example.com:8443/photo.png",
        "file:///etc/passwd",
        "data:image/png;base64,AAAA",
        `https://example.com/${"x".repeat(5_000)}`,
        "no URL",
      ])
        assert.deepEqual(
          refused(await move(url)),
          [422, 12, "input_host_not_allowed"],
          url,
        );
      const url = "https://a.example/";
      for (const body of [
        { url: 5 },
        { url: "" },
        { url, size: 1 },
        { url, task_id: "task" },
        { url, content_type: "png" },
        { url, content_type: "text/html" },
        { url, kind: "picture" },
        { url, kind: 5 },
      ]) {
        const reply = await send("files", { body });
        const what = JSON.stringify(body);
        assert.deepEqual(refused(reply), [400, 12, "invalid_fields"], what);
      }
      const bearer = token("reader", "generate:*");
      const forbidden = await move(url, {}, { bearer });
      assert.deepEqual(refused(forbidden), [403, 13, "scope"]);
      assert.deepEqual(host.seen, []);
    },
    {
      settings: {
        INPUT_HOSTS: "*",
        RATE_LIMIT_PER_MINUTE: "1000",
      },
    },
  ));

test("anonymous sessions share their uploads for files by URL, which count before a request", () => {
  const opened = (open) =>
    open({ origin: ORIGIN, "x-mediagate": "1" }).then(
      ({ data }) => data.session.token,
    );
  return withFiles(
    async ({ move, host, open, uploads }) => {
      const bearer = await opened(open);
      const moved = await move("/photo.png", {}, { bearer });
      assert.deepEqual([moved.status, moved.data.size], [200, BYTES.length]);
      const again = await move("/photo.png", {}, { bearer });
      assert.equal(again.data.file_id, moved.data.file_id);
      const missing = await move("/gone", {}, { bearer });
      assert.deepEqual(refused(missing), [422, 12, "input_unavailable"]);

      const other = { bearer: await opened(open) };
      const third = await move("/film", {}, other);
      assert.deepEqual(refused(third), [429, 16, "budget"]);
      assert.equal(third.data.limit, "uploads");
      assert.deepEqual(host.seen, ["GET /photo.png", "GET /gone"]);
      assert.equal(uploads.length, 1);
      const signedIn = await move("/film");
      assert.equal(signedIn.status, 200);
    },
    {
      settings: {
        ANONYMOUS_SESSIONS: "on",
        ANONYMOUS_UPLOADS: "2",
        ALLOWED_ORIGINS: ORIGIN,
      },
    },
  );
});

test("the bytes of an anonymous session's files by URL count towards the bytes of uploads", () =>
  withFiles(
    async ({ move, open, uploads }) => {
      const { data } = await open({ origin: ORIGIN, "x-mediagate": "1" });
      const { token: bearer } = data.session;
      assert.equal((await move("/photo.png", {}, { bearer })).status, 200);
      const second = await move("/film", {}, { bearer });
      assert.deepEqual(refused(second), [429, 16, "budget"]);
      assert.equal(second.data.limit, "upload_bytes");
      assert.equal(uploads.length, 1);
    },
    {
      settings: {
        ANONYMOUS_SESSIONS: "on",
        ANONYMOUS_UPLOAD_BYTES: String(2 * BYTES.length - 1),
        ALLOWED_ORIGINS: ORIGIN,
      },
    },
  ));

test("without INPUT_HOSTS no file is loaded from a URL", () =>
  withFiles(
    async ({ move, host }) => {
      const reply = await move("/photo.png");
      assert.deepEqual(refused(reply), [404, 12, "unknown_path"]);
      assert.match(reply.message, /INPUT_HOSTS/);
      assert.deepEqual(host.seen, []);
    },
    { settings: { INPUT_HOSTS: "" } },
  ));
