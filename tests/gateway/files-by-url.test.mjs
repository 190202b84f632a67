// A file at a URL becomes an input. The gateway moves it, if the host is in the operator's list.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { sessionToken } from "../support/session.mjs";
import { token } from "../support/token.mjs";
import {
  BYTES,
  file,
  reasonOf,
  sha256,
  startTransfers,
} from "../support/transfers.mjs";

const ORIGIN = "https://app.example.com";
const IMAGE = "generate/video/image_to_video";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
/** The path of a file whose name has to be decoded. */
const HINDI =
  "/%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80%20(1).png";
const redirect = (location) => (_, response) =>
  response.writeHead(302, { location }).end();
const status = (code) => (_, response) => response.writeHead(code).end();

/** @type {any[]} the headers of each request for the photo */
const seen = [];
const HOST = {
  "/photo.png": (request, response) => {
    seen.push(request.headers);
    file("image/png")(request, response);
  },
  "/untyped": file(undefined),
  "/page": file("text/html; charset=utf-8"),
  "/film": file("video/mp4"),
  "/moved": redirect("/photo.png"),
  "/metadata": redirect("http://169.254.169.254/latest/meta-data"),
  "/to-login": redirect("https://user:password@example.com/photo.png"),
  "/loop": redirect("/loop"),
  "/unauthorized": status(401),
  "/forbidden": status(403),
  "/blocked": (_, response) =>
    response.writeHead(403, { "content-type": "text/html" }).end("<html>"),
  "/text": file("text/plain", PNG),
  [HINDI]: file("application/octet-stream", PNG),
  "/login.png": file("application/octet-stream", "\n<!doctype html>"),
  "/gone": status(404),
  "/broken": status(503),
  "/silent": () => {},
};

/** Starts a gateway. `move` moves the file at a path of the host, or at a whole URL. */
async function startFiles(t, options) {
  const world = await startTransfers(t, HOST, options);
  const move = (path, more, init = {}) => {
    const url = path.startsWith("/") ? world.host.url + path : path;
    return world.send("files", { body: { url, ...more }, ...init });
  };
  return { ...world, move };
}

test("a file is moved once, byte for byte, and its host gets nothing of the caller's or the gateway's", async (t) => {
  const { move, storage, uploads, send, created } = await startFiles(t);
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
  for (const { headers } of [{ headers: seen[0] }, storage.stored[0]])
    assert.equal(headers["user-agent"], "Mediagate/1");

  const body = { file_id, prompt: "slow push in" };
  assert.equal((await send(IMAGE, { body })).status, 200);
  assert.equal(created[0].file_id, "file-1");
  const bearer = token("bob");
  assert.equal((await send(IMAGE, { body, bearer })).status, 400);
  const own = await move("/photo.png", { kind: "image" }, { bearer });
  assert.notEqual(own.data.file_id, file_id);
});

test("a file of another kind than the caller needs is not stored", async (t) => {
  const { move, uploads } = await startFiles(t);
  for (const [path, more, words] of /** @type {any[]} */ ([
    ["/page", {}, /give the URL of the file itself/],
    ["/film", { kind: "image" }, /of the type video\/mp4, which is no image/],
    ["/login.png", { content_type: "image/png" }, /the URL of the file itself/],
  ])) {
    const reply = await move(path, more);
    assert.equal(reasonOf(reply), "invalid_fields", path);
    assert.match(reply.message, words);
  }
  assert.deepEqual(uploads, []);
});

test("the type of a file is the caller's, or its server's if it fits, or that of its name or its bytes", async (t) => {
  const { move, uploads } = await startFiles(t);
  const content_type = "video/webm";
  for (const [path, more, type, name] of /** @type {any[]} */ ([
    ["/text", { kind: "image" }, "image/png", "text"],
    ["/untyped", { content_type, kind: "video" }, content_type, "untyped"],
    // A file with the type of a video may contain only sound.
    ["/film", { kind: "audio" }, "video/mp4", "film"],
    [HINDI, {}, "image/png", "हिन्दी-1-.png"],
  ])) {
    const moved = await move(path, more);
    assert.equal(moved.status, 200, path + moved.text);
    const { content_type, file_name } = uploads.at(-1);
    assert.deepEqual([content_type, file_name], [type, name]);
  }
});

test("a redirect must stay within the listed hosts, and a host that requires a login is refused", async (t) => {
  const { move, host, uploads } = await startFiles(t);
  assert.equal((await move("/moved")).data.size, BYTES.length);
  uploads.length = 0;
  const HOST_REFUSED = "input_host_not_allowed";
  const LOGIN = "input_needs_login";
  const UNAVAILABLE = "input_unavailable";
  for (const [path, expected] of [
    ["/metadata", HOST_REFUSED],
    ["/to-login", HOST_REFUSED],
    ["/loop", UNAVAILABLE],
    ["/gone", UNAVAILABLE],
    ["/unauthorized", LOGIN],
    ["/forbidden", LOGIN],
    ["/blocked", "input_firewall"],
    ["/broken", "input_unreachable"],
  ]) {
    const reply = await move(path);
    assert.equal(reasonOf(reply), expected, path);
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
    assert.equal(reasonOf(reply), LOGIN, url);
    assert.ok(!reply.text.includes("user@"), reply.text);
    assert.ok(!reply.text.includes("user:password"), reply.text);
  }
  assert.deepEqual(uploads, []);
});

/** A limit that ends before a request stops waiting for its transfer. */
const SOON = { UPSTREAM_TIMEOUT_MS: "2000" };

test("a file that is silent is refused", async (t) => {
  const { move, uploads } = await startFiles(t, { settings: SOON });
  const reply = await move("/silent");
  assert.equal(reasonOf(reply), "input_unreachable");
  assert.deepEqual(uploads, []);
});

test("no request is sent for a URL that is not allowed, whatever it looks like", async (t) => {
  const { move, send, host } = await startFiles(t, {
    settings: {
      INPUT_HOSTS: "*",
      RATE_LIMIT_PER_MINUTE: "1000",
    },
  });
  for (const url of [
    `${host.url}/photo.png`,
    "https://metadata.google.internal/",
    "data:image/png;base64,AAAA",
    `https://example.com/${"x".repeat(5_000)}`,
    "no URL",
  ])
    assert.equal(reasonOf(await move(url)), "input_host_not_allowed", url);
  const url = "https://a.example/";
  for (const body of [
    { url, task_id: "task" },
    { url, content_type: "text/html" },
    { url, kind: "picture" },
  ]) {
    const reply = await send("files", { body });
    const what = JSON.stringify(body);
    assert.equal(reasonOf(reply), "invalid_fields", what);
  }
  const bearer = token("reader", "generate:*");
  const forbidden = await move(url, {}, { bearer });
  assert.equal(reasonOf(forbidden), "scope");
  assert.deepEqual(host.seen, []);
});

test("anonymous sessions share their uploads for files by URL, which count before a request", async (t) => {
  const { gateway, move, host, uploads, state } = await startFiles(t, {
    settings: {
      ANONYMOUS_SESSIONS: "on",
      ANONYMOUS_UPLOADS: "2",
      ALLOWED_ORIGINS: ORIGIN,
    },
    persist: true,
  });
  const transfers = async () => {
    const names = await readdir(state, { recursive: true });
    return names.filter((name) => /Transfer\/.*\.sqlite$/.test(name));
  };
  const bearer = await sessionToken(gateway, ORIGIN);
  const moved = await move("/photo.png", {}, { bearer });
  assert.deepEqual([moved.status, moved.data.size], [200, BYTES.length]);
  const again = await move("/photo.png", {}, { bearer });
  assert.equal(again.data.file_id, moved.data.file_id);
  const missing = await move("/gone", {}, { bearer });
  assert.equal(reasonOf(missing), "input_unavailable");

  const before = await transfers();
  assert.ok(before.length > 0);
  const other = { bearer: await sessionToken(gateway, ORIGIN) };
  const third = await move("/film", {}, other);
  assert.equal(reasonOf(third), "budget");
  assert.equal(third.data.limit, "uploads");
  assert.deepEqual(await transfers(), before, "it leaves no object behind");
  assert.deepEqual(host.seen, ["GET /photo.png", "GET /gone"]);
  assert.equal(uploads.length, 1);
  const signedIn = await move("/film");
  assert.equal(signedIn.status, 200);
  const loaded = await move("/photo.png", {}, { bearer });
  assert.equal(loaded.data.file_id, moved.data.file_id, "it counted before");
});

test("a caller has so many files on their way at once, and each counts until its end", async (t) => {
  const { move, host } = await startFiles(t, {
    settings: { ...SOON, TRANSFERS_PER_SUBJECT: "2" },
  });
  const first = await Promise.all([
    move("/silent", { kind: "image" }),
    move("/silent", { kind: "video" }),
    move("/silent", { kind: "pdf" }),
  ]);
  const reasons = first.map(reasonOf).sort();
  assert.deepEqual(reasons, [
    "input_unreachable",
    "input_unreachable",
    "rate_limit",
  ]);
  const refused = first.find((reply) => reasonOf(reply) === "rate_limit");
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), "1");
  assert.equal(host.seen.length, 2);
  assert.equal((await move("/photo.png")).status, 200);
});

test("the bytes of an anonymous session's files by URL count towards the bytes of uploads", async (t) => {
  const { gateway, move, uploads } = await startFiles(t, {
    settings: {
      ANONYMOUS_SESSIONS: "on",
      ANONYMOUS_UPLOAD_BYTES: String(2 * BYTES.length - 1),
      ALLOWED_ORIGINS: ORIGIN,
    },
  });
  const bearer = await sessionToken(gateway, ORIGIN);
  assert.equal((await move("/photo.png", {}, { bearer })).status, 200);
  const second = await move("/film", {}, { bearer });
  assert.equal(reasonOf(second), "budget");
  assert.equal(second.data.limit, "upload_bytes");
  assert.equal(uploads.length, 1);
});

test("without INPUT_HOSTS no file is loaded from a URL", async (t) => {
  const { move, host } = await startFiles(t, { settings: { INPUT_HOSTS: "" } });
  const reply = await move("/photo.png");
  assert.equal(reasonOf(reply), "unknown_path");
  assert.match(reply.message, /INPUT_HOSTS/);
  assert.deepEqual(host.seen, []);
});
