// The sources of uploads: files, bytes and streams. Other values are errors before anything is
// sent.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  client,
  connect,
  failure,
  serve,
  shown,
  textOf,
  timers,
  uploadUrl,
} from "./support/client.mjs";

const BINARY = "application/octet-stream";

/**
 * Makes a client of a gateway that gives files the ids f-1, f-2. `stored` has the type and the
 * bytes that its storage got.
 */
async function storing() {
  const stored = [];
  let count = 0;
  const own = await client({
    "POST upload_urls": () => uploadUrl({ file_id: `f-${++count}` }),
    "PUT ": async (_, { headers, body }) => {
      stored.push([
        headers.get("content-type"),
        [...new Uint8Array(await body.arrayBuffer())],
      ]);
      return new Response("");
    },
  });
  return { ...own, stored };
}

/** Asserts that a source is uploaded as this file with these bytes. */
async function assertUploaded(source, options, file, bytes, what) {
  const { seen, stored, media } = await storing();
  assert.equal(await media.upload(source, options), "f-1", what);
  assert.deepEqual(
    seen.lines,
    ["POST upload_urls", "PUT https://storage.test/put"],
    what,
  );
  assert.deepEqual(JSON.parse(seen.bodies[0]), file, what);
  assert.deepEqual(stored, [[file.content_type, bytes]], what);
}

const streamOf = (...chunks) =>
  new ReadableStream({
    pull: (controller) =>
      chunks.length ? controller.enqueue(chunks.shift()) : controller.close(),
  });

// Views of a part of their buffer. The rest is not uploaded.
const { buffer } = new Uint8Array([9, 1, 2, 3, 9]);

for (const [name, source] of /** @type {[string, () => any][]} */ ([
  ["a Uint8Array", () => new Uint8Array(buffer, 1, 3)],
  ["a Node Buffer", () => Buffer.from([1, 2, 3])],
  ["an ArrayBuffer", () => buffer.slice(1, 4)],
  ["a DataView", () => new DataView(buffer, 1, 3)],
  [
    "a stream",
    () => new Blob([buffer.slice(1, 4)], { type: "audio/mpeg" }).stream(),
  ],
  [
    "a stream of several chunks",
    () => streamOf(new Uint8Array([1]), new Uint8Array([2, 3])),
  ],
])) {
  test(`${name} is uploaded as a file with the name and the type of the options`, async () => {
    const options = { name: "a.png", type: "image/png" };
    const file = { file_name: "a.png", content_type: "image/png", size: 3 };
    await assertUploaded(source(), options, file, [1, 2, 3], name);
  });
}

test("a file without a name and a type gets defaults", async () => {
  for (const [
    name,
    type,
    file_name,
    content_type,
  ] of /** @type {[any, any, string, string][]} */ ([
    ["", "image/png", "file.png", "image/png"],
    [" ", "image/svg+xml", "file.svg", "image/svg+xml"],
    ["", "video/mp4;codecs=x", "file.mp4", "video/mp4"],
    ["", 'video/webm; codecs="vp9, opus"', "file.webm", "video/webm"],
    ["", "video/x-matroska;codecs=avc1", "file.mkv", "video/x-matroska"],
    ["", "audio/mp4", "file.m4a", "audio/mp4"],
    ["", "audio/mpeg", "file.mp3", "audio/mpeg"],
    [
      "",
      "image/svg+xml;charset=utf-8",
      "file.svg",
      "image/svg+xml;charset=utf-8",
    ],
    ["", "", "file.bin", BINARY],
    ["", BINARY, "file.bin", BINARY],
    ["", "image/é", "file.bin", BINARY],
    ["", "image/png\r\nx: y", "file.bin", BINARY],
    ["é.png", "", "é.png", BINARY],
    [undefined, undefined, "file.bin", BINARY],
    [7, {}, "file.bin", BINARY],
  ])) {
    const file = { file_name, content_type, size: 1 };
    const what = shown([name, type]);
    await assertUploaded(new Uint8Array([5]), { name, type }, file, [5], what);
    await assertUploaded(
      new Blob([new Uint8Array([5])]).stream(),
      { name, type },
      file,
      [5],
      what,
    );
    // The platform has checked the type of its own files, but a page may have another kind of file.
    const own = Object.defineProperties(new Blob([new Uint8Array([5])]), {
      name: { value: name },
      type: { value: type },
    });
    await assertUploaded(own, {}, file, [5], `a file with ${what}`);
  }
});

/** Makes a file of another frame or environment. Its class is not the class of this platform. */
const foreign = (file) =>
  Object.setPrototypeOf(
    file,
    Object.create(
      Object.prototype,
      Object.getOwnPropertyDescriptors(Blob.prototype),
    ),
  );

test("a file of another frame is uploaded like the page's own", async () => {
  const file = foreign(new Blob([new Uint8Array([5])], { type: "image/png" }));
  assert.ok(!(file instanceof Blob));
  const info = { file_name: "file.png", content_type: "image/png", size: 1 };
  await assertUploaded(file, {}, info, [5], "upload");
  const { seen, stored, media } = await storing();
  const gone = Object.assign(foreign(new Blob(["x"])), {
    arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")),
  });
  await failure(media.upload(gone), "upload_failed");
  for (let count = 0; count < 2; count++)
    await media.backgroundRemoval({ file_id: file }, { idempotencyKey: "k" });
  assert.deepEqual(stored, [["image/png", [5]]]);
  assert.equal(JSON.parse(seen.bodies.at(-1)).file_id, "f-1");
});

test("a file keeps its own name and type", async () => {
  const file = new File([new Uint8Array([5])], "a.png", { type: "image/png" });
  const info = { file_name: "a.png", content_type: "image/png", size: 1 };
  await assertUploaded(
    file,
    { name: "b.jpg", type: "image/jpeg" },
    info,
    [5],
    "a File",
  );
});

function detached(make) {
  const source = make(new ArrayBuffer(3));
  structuredClone(source.buffer ?? source, {
    transfer: [source.buffer ?? source],
  });
  return source;
}

const empty = () => new Blob([]);
const NO_SOURCES = /** @type {[string, () => any, RegExp][]} */ ([
  ...[
    "f",
    null,
    undefined,
    7,
    {},
    [],
    { byteLength: 5 },
    { getReader: true },
  ].map((source) => [
    shown(source),
    () => source,
    /a File, a Blob, bytes or a ReadableStream/,
  ]),
  ["a function", () => () => {}, /a File, a Blob, bytes or a ReadableStream/],
  [
    "a stream of Node",
    () => Readable.from(["x"]),
    /this is a stream of Node, and not a file; use fs/,
  ],
  [
    "a Promise",
    () => Promise.resolve(),
    /this is a Promise, and not a file; await it/,
  ],
  [
    "a Blob of an old environment",
    () => ({ size: 1, [Symbol.toStringTag]: "Blob" }),
    /this is a Blob of another environment/,
  ],
  ["an async iterable", async function* () {}, /bytes or a ReadableStream/],
  ["an empty Blob", empty, /empty/],
  ["an empty File", () => new File([], "a.png"), /empty/],
  ["an empty Uint8Array", () => new Uint8Array(), /empty/],
  ["an empty ArrayBuffer", () => new ArrayBuffer(0), /empty/],
  ["an empty DataView", () => new DataView(new ArrayBuffer(3), 3), /empty/],
  ["an empty stream", () => empty().stream(), /empty/],
  ["a detached ArrayBuffer", () => detached((buffer) => buffer), /empty/],
  [
    "a detached Uint8Array",
    () => detached((buffer) => new Uint8Array(buffer)),
    /empty/,
  ],
  [
    "a detached DataView",
    () => detached((buffer) => new DataView(buffer)),
    /empty/,
  ],
]);

for (const [name, source, message] of NO_SOURCES) {
  test(`${name} cannot be uploaded`, async () => {
    const { seen, media } = await storing();
    const error = await failure(media.upload(source(), { name: "a.png" }));
    assert.deepEqual([error.code, seen.lines], ["invalid_argument", []]);
    assert.match(textOf(error), message);
    assert.match(error.hint, /^(give|use|await|copy) /);
  });
}

for (const [name, bytes] of /** @type {[string, any][]} */ ([
  ["a Uint8Array", new Uint8Array([1, 2, 3])],
  ["an ArrayBuffer", new Uint8Array([1, 2, 3]).buffer],
])) {
  test(`a create with ${name} uploads its file once for each key`, async () => {
    const { seen, stored, media } = await storing();
    const create = (idempotencyKey) =>
      media.backgroundRemoval({ file_id: bytes }, { idempotencyKey });
    await create("a");
    await create("a");
    new Uint8Array(ArrayBuffer.isView(bytes) ? bytes.buffer : bytes)[0] = 9;
    await create("b");
    const creates = seen.bodies.filter((_, index) =>
      seen.lines[index].startsWith("POST process"),
    );
    assert.deepEqual(
      creates.map((body) => JSON.parse(body).file_id),
      ["f-1", "f-1", "f-2"],
    );
    assert.deepEqual(
      stored.map(([, bytes]) => bytes),
      [
        [1, 2, 3],
        [9, 2, 3],
      ],
    );
  });
}

test("a create with an empty or a detached buffer is not sent", async () => {
  for (const source of [
    new Uint8Array(),
    detached((buffer) => buffer),
    detached((buffer) => new Uint8Array(buffer)),
  ]) {
    const { seen, media } = await storing();
    const error = await failure(media.backgroundRemoval({ file_id: source }));
    assert.deepEqual([error.outcome, seen.lines], ["not_sent", []]);
    assert.match(error.message, /empty/);
  }
});

test("an onProgress that is not a function is an error, whatever the source", async () => {
  for (const onProgress of [7, "f", {}, null]) {
    for (const source of [
      new Blob(["x"]),
      new Uint8Array(1),
      new Blob(["x"]).stream(),
    ]) {
      const { seen, media } = await storing();
      const error = await failure(media.upload(source, { onProgress }));
      assert.deepEqual([error.code, seen.lines], ["invalid_argument", []]);
      assert.match(textOf(error), /onProgress/);
    }
  }
});

test("onProgress is called at the end, whatever the source, and may throw", async () => {
  for (const source of [
    new Blob(["abc"]),
    new Uint8Array(3),
    new Blob(["abc"]).stream(),
  ]) {
    const { media } = await storing();
    const progress = [];
    const onProgress = (event) => {
      progress.push(event);
      throw new Error("a subscriber's bug");
    };
    assert.equal(await media.upload(source, { onProgress }), "f-1");
    assert.deepEqual(progress, [{ loaded: 3, total: 3 }]);
  }
});

test("a stream that breaks is an error with its cause", async () => {
  const cause = new Error("no");
  const before = timers();
  for (const chunks of [0, 1, 2]) {
    let left = chunks;
    const pull = (controller) =>
      left-- ? controller.enqueue(new Uint8Array(2)) : controller.error(cause);
    const { seen, media } = await storing();
    const error = await failure(
      media.upload(new ReadableStream({ pull }), { timeout: 60_000 }),
    );
    assert.deepEqual(
      [error.code, seen.lines, timers()],
      ["upload_failed", [], before],
      `after ${chunks} chunks`,
    );
    assert.equal(error.cause, cause);
  }
});

test("a stream that cannot be read is an error with its cause", async () => {
  const locked = new Blob(["x"]).stream();
  locked.getReader();
  const noBytes = streamOf("text");
  for (const stream of [locked, noBytes, { getReader() {} }]) {
    const { seen, media } = await storing();
    const error = await failure(media.upload(stream));
    assert.deepEqual([error.code, seen.lines], ["upload_failed", []]);
    assert.ok(error.cause instanceof TypeError, String(error.cause));
  }
});

/** Starts a gateway with a storage that responds with this status. */
async function storage(t, status = 200) {
  const seen = { lines: [], url: "" };
  seen.url = await serve(t, async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    const { method, headers } = request;
    seen.lines.push([method, headers["content-length"], bytes]);
    if (method === "PUT") return response.writeHead(status).end();
    const data = { file_id: "f", upload_url: `${seen.url}/put` };
    response.end(JSON.stringify({ code: 0, data }));
  });
  return { seen, media: await connect({ url: seen.url }) };
}

const MEGABYTE = 1_000_000;

/** Makes a stream of this many megabytes, and counts the ones that are read. */
function megabytes(count) {
  const source = { read: 0, cancels: 0, stream: new ReadableStream() };
  source.stream = new ReadableStream(
    {
      pull(controller) {
        if (source.read === count) return controller.close();
        source.read += 1;
        controller.enqueue(new Uint8Array(MEGABYTE));
      },
      cancel() {
        source.cancels += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return source;
}

test("a stream of a known size is sent as it comes, with its length", async (t) => {
  const { seen, media } = await storage(t);
  const { stream } = megabytes(9);
  const loaded = [];
  const options = {
    size: 9 * MEGABYTE,
    name: "a.mp4",
    type: "video/mp4",
    onProgress: (progress) => loaded.push(progress.loaded),
  };
  assert.equal(await media.upload(stream, options), "f");
  assert.deepEqual(seen.lines[1], ["PUT", String(9 * MEGABYTE), 9 * MEGABYTE]);
  assert.deepEqual(
    [loaded[0], loaded.at(-1)],
    [MEGABYTE, 9 * MEGABYTE],
    "the progress is reported meanwhile",
  );
});

test("a stream of a known size is not read before it is sent", async () => {
  const source = megabytes(2);
  const { media } = await client({
    "POST upload_urls": () => {
      assert.equal(source.read, 0);
      return uploadUrl();
    },
    "PUT ": async (_, { body, duplex }) => {
      assert.deepEqual([duplex, source.read], ["half", 0]);
      const { byteLength } = await new Response(body).arrayBuffer();
      return new Response("", {
        status: byteLength === 2 * MEGABYTE ? 200 : 400,
      });
    },
  });
  assert.equal(await media.upload(source.stream, { size: 2 * MEGABYTE }), "f");
});

test("an upload of a stream is retried only while nothing of the stream was read", async () => {
  const source = megabytes(2);
  let attempts = 0;
  const { media } = await client({
    "PUT ": async (_, { body }) => {
      attempts += 1;
      if (attempts > 1) await body.getReader().read();
      throw new TypeError("fetch failed");
    },
  });
  const error = await failure(
    media.upload(source.stream, { size: 2 * MEGABYTE }),
  );
  assert.deepEqual(
    [error.code, error.retryable, attempts, source.cancels],
    ["upload_failed", false, 2, 1],
  );
  assert.match(error.message, /a stream can be read only once/);
  assert.match(error.hint, /a new stream; a Blob/);
});

test("a stream that the storage refuses is not sent again", async (t) => {
  const { seen, media } = await storage(t, 503);
  const error = await failure(
    media.upload(megabytes(1).stream, { size: MEGABYTE }),
  );
  assert.match(error.message, /a stream can be read only once/);
  assert.match(String(error.cause), /status 503/);
  assert.equal(seen.lines.length, 2);
});

for (const size of [1, 3])
  test(`a stream of 2 MB is refused as one of ${size} MB`, async (t) => {
    const { media } = await storage(t);
    const { stream } = megabytes(2);
    const error = await failure(
      media.upload(stream, { size: size * MEGABYTE }),
      "upload_failed",
    );
    assert.match(String(error.cause.cause), /another size than/);
  });

test("a stream of a known size can be the file of a form", async () => {
  const options = { size: MEGABYTE, name: "a.mp4", type: "video/mp4" };
  const { stream } = megabytes(1);
  const { body } = await sentWith({ fields: { key: "k" } }, stream, options);
  const { name, type, size } = body.get("file");
  assert.deepEqual([name, type, size], ["a.mp4", "video/mp4", MEGABYTE]);
});

/** Gives the process a global of another runtime for the test. */
function lend(t, name, value) {
  Object.assign(globalThis, { [name]: value });
  t.after(() => Reflect.deleteProperty(globalThis, name));
}

for (const name of ["XMLHttpRequest", "Deno"])
  test(`on platforms with ${name}, a stream of a known size is sent as a Blob`, async (t) => {
    lend(t, name, class {});
    const fetch = async (url, { body }) => {
      if (url.endsWith("/put")) assert.ok(body instanceof Blob);
      return uploadUrl();
    };
    const media = await connect({ fetch });
    assert.equal(
      await media.upload(megabytes(1).stream, { size: MEGABYTE }),
      "f",
    );
  });

test("Workers send a stream of a known size by their own class", async (t) => {
  const sizes = [];
  class FixedLengthStream extends TransformStream {
    constructor(size) {
      super();
      sizes.push(size);
    }
  }
  lend(t, "FixedLengthStream", FixedLengthStream);
  const { seen, media } = await storage(t);
  await media.upload(megabytes(1).stream, { size: MEGABYTE });
  assert.deepEqual([sizes, seen.lines[1][2]], [[MEGABYTE], MEGABYTE]);
});

test("an invalid size and a locked stream are errors before anything is sent", async () => {
  const { seen, media } = await storing();
  for (const size of [0, -1, 1.5, NaN, "1", null]) {
    const error = await failure(media.upload(megabytes(1).stream, { size }));
    assert.equal(error.code, "invalid_argument", shown(size));
    assert.match(error.message, /^size is not/);
  }
  const locked = new Blob(["x"]).stream();
  locked.getReader();
  const error = await failure(
    media.upload(locked, { size: 1 }),
    "upload_failed",
  );
  assert.match(error.message, /locked/);
  assert.deepEqual(seen.lines, []);
});

test("an abort ends a stream of a known size", async () => {
  const source = megabytes(2);
  const controller = new AbortController();
  const { media } = await client({
    "PUT ": async (_, { body }) => {
      await body.getReader().read();
      controller.abort();
      return new Promise(() => {});
    },
  });
  const { signal } = controller;
  const upload = media.upload(source.stream, { size: 2 * MEGABYTE, signal });
  await failure(upload, "aborted");
  await pause(1);
  assert.equal(source.cancels, 1);
});

/** Makes a stream without an end, and records the calls of its source. */
function endless(pull) {
  const seen = { pulls: 0, cancels: 0 };
  const cancel = () => {
    seen.cancels += 1;
  };
  const stream = new ReadableStream({
    pull: (controller) => {
      seen.pulls += 1;
      return pull(controller);
    },
    cancel,
  });
  return { stream, seen };
}

const writes = async (controller) => {
  await pause(1);
  controller.enqueue(new Uint8Array(10));
};
const never = () => new Promise(() => {});

for (const [kind, pull] of /** @type {[string, any][]} */ ([
  ["that writes", writes],
  ["that is silent", never],
])) {
  for (const code of ["aborted", "timeout"]) {
    test(`an endless stream ${kind} is pending until it is ended (${code}), and its source is cancelled`, async () => {
      const before = timers();
      const { seen, media } = await storing();
      const source = endless(pull);
      const controller = new AbortController();
      const limits =
        code === "timeout" ? { timeout: 30 } : { signal: controller.signal };
      const reason = { any: "value" };
      const uploaded = failure(media.upload(source.stream, limits));
      if (code === "aborted") {
        const first = await Promise.race([uploaded, pause(30)]);
        assert.deepEqual(
          [first, source.seen.cancels, source.seen.pulls > 0],
          [undefined, 0, true],
        );
        controller.abort(reason);
      }
      const error = await uploaded;
      assert.deepEqual(
        [error.code, error.cause],
        [code, code === "aborted" ? reason : undefined],
      );
      const { pulls } = source.seen;
      // A chunk may be under way when the source is cancelled.
      await pause(20);
      assert.deepEqual(
        [source.seen.cancels, source.seen.pulls - pulls, timers()],
        [1, 0, before],
      );
      assert.deepEqual(seen.lines, []);
    });
  }
}

test("files and inputs are released after their calls", async () => {
  const script = fileURLToPath(
    new URL("support/collected.mjs", import.meta.url),
  );
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    script,
  ]);
  const result = JSON.parse(stdout);
  assert.equal(
    result.created,
    1200,
    "each file is uploaded, and each create has a task",
  );
  for (const [name, { files, bytes }] of Object.entries(result)) {
    if (name === "created") continue;
    assert.ok(files <= 80, `${name}: ${files} of 400 files are in memory`);
    // A fifth of the size of all prompts.
    assert.ok(bytes < 16_000_000, `${name}: ${bytes} bytes more are in memory`);
  }
});

const PICTURE = new File(["abc"], "a.png", { type: "image/png" });

/**
 * Uploads a source to an upload URL with these further members, and returns the request to the
 * storage.
 *
 * @param {object} more
 * @param {any} [file]
 * @param {object} [options]
 */
async function sentWith(more, file = PICTURE, options = {}) {
  /** @type {any} */
  let sent;
  const store = (_, init) => {
    sent = init;
    return new Response("");
  };
  const { media } = await client({
    "POST upload_urls": () => uploadUrl(more),
    "PUT https://storage.test": store,
    "POST https://storage.test": store,
  });
  assert.equal(await media.upload(file, options), "f");
  const { method, headers, body } = sent;
  return { method, headers: Object.fromEntries(headers), body };
}

test("an upload has the method and the headers that came with its URL", async () => {
  const plain = await sentWith({});
  assert.deepEqual(
    [plain.method, plain.headers],
    ["PUT", { "content-type": "image/png" }],
  );
  assert.equal(plain.body, PICTURE);
  const signed = await sentWith({
    method: "POST",
    headers: {
      "X-Amz-Meta-A": "1",
      "Content-Type": "image/x",
      Authorization: "Bearer x",
      cookie: "a",
      HOST: "h",
    },
  });
  assert.deepEqual(
    [signed.method, signed.headers],
    ["POST", { "content-type": "image/x", "x-amz-meta-a": "1" }],
  );
  for (const odd of [
    { method: "DELETE" },
    { headers: null },
    { headers: "x" },
    { fields: null },
    { fields: [] },
  ]) {
    const { method, headers, body } = await sentWith(odd);
    assert.deepEqual(
      [method, headers["content-type"]],
      ["PUT", "image/png"],
      JSON.stringify(odd),
    );
    assert.equal(body, PICTURE, JSON.stringify(odd));
  }
});

test("an upload with fields is a form, whose last field is the file", async () => {
  const { method, headers, body } = await sentWith({
    fields: { key: "k", policy: "p" },
    headers: { "content-type": "x/y", "x-a": "1" },
  });
  assert.deepEqual([method, headers], ["POST", { "x-a": "1" }]);
  const entries = [...body];
  assert.deepEqual(
    entries.slice(0, 2),
    Object.entries({ key: "k", policy: "p" }),
  );
  const [name, file] = entries[2];
  assert.deepEqual(
    [name, file.name, file.type, await file.text()],
    ["file", "a.png", "image/png", "abc"],
  );
});
