// mediagate/react in StrictMode, which mounts every component twice.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { listen } from "../support/listen.mjs";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

/** The bytes of an upload that exceeds the sockets' buffers, and reports progress at this speed. */
const UPLOAD_BYTES = 16_000_000;
const suited = suite({ stack: { uploadSpeed: 20_000_000 } });

let folder;
before(async () => {
  folder = await install("react", "react");
  await run(tool("vite"), ["build", "--logLevel", "warn"], folder);
});
after(() => remove(folder));

const open = async (t) => (await suited.visit(t, `${folder}/dist`)).page;

const consoleLines = async (page) =>
  (await page.lines()).filter((line) => !line.includes("React DevTools"));
const create = async () => {
  globalThis.task = await globalThis.media.textToImageTurbo({
    prompt: "a paper boat",
  });
  globalThis.show({ task: globalThis.task });
};

/** Gives the components the client, and waits until they have rendered with it. */
async function connect(page) {
  await page.evaluate(() => globalThis.show({ media: globalThis.media }));
  await page.find("#upload[data-connected=true]");
  await page.find("#files[data-connected=true]");
}

/** Keeps every task running for the page. Its stream is refused, or comes from another server. */
function neverOver(streams) {
  globalThis.network ??= fetch;
  globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/events")) {
      if (streams) return globalThis.network(streams, init);
      return Response.json(
        { code: 12, message: "no such path" },
        { status: 404 },
      );
    }
    const response = await globalThis.network(url, init);
    if (!pathname.includes("/generate/")) return response;
    const body = await response.json();
    Object.assign(body.data.task, {
      state: "PROCESSING",
      status: "PROCESSING",
    });
    return Response.json(body, response);
  };
}

/**
 * Starts a server that never responds, except to preflights. Returns its URL, its first request,
 * and the end of that connection.
 */
async function startSilence(t) {
  const server = createServer((request, response) => {
    if (request.method !== "OPTIONS")
      return void server.emit("pending", request.socket);
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, *",
    };
    response.writeHead(204, headers).end();
  });
  const sent = once(server, "pending");
  const ended = sent.then(([socket]) => once(socket, "close"));
  const url = await listen(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, sent, ended };
}

test("a component shows a task until it ends", async (t) => {
  const page = await open(t);
  await page.shows("#task", "unseen");
  await page.evaluate(create);
  await page.shows("#task", "SUCCEEDED");
  assert.deepEqual(await consoleLines(page), []);
});

test("a component renders again when the gateway has kept the file", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const network = fetch;
    let reads = 0;
    globalThis.fetch = async (url, init) => {
      const { pathname } = new URL(url);
      if (pathname.endsWith("/events"))
        return Response.json(
          { code: 12, message: "no such path" },
          { status: 404 },
        );
      const response = await network(url, init);
      if (!pathname.includes("/generate/tasks/")) return response;
      const body = await response.json();
      const isKept = ++reads > 2;
      const name = isKept ? "lasting" : "first";
      const output = { url: `https://h.example/${name}.png`, kept: isKept };
      const ended = { state: "SUCCEEDED", status: "SUCCEEDED" };
      Object.assign(body.data.task, ended, { outputs: [output] });
      return Response.json(body, response);
    };
  });
  await page.evaluate(create);
  await page.shows("#task", "SUCCEEDED");
  await page.find("#task[data-url='https://h.example/lasting.png']");
  const shown = await page.evaluate(() => globalThis.shownUrls);
  assert.ok(shown.includes("https://h.example/first.png"));
});

test("an unmounted component leaves no timer and no request", async (t) => {
  const page = await open(t);
  // A driver may have a timer of its own while it evaluates.
  const idle = await page.evaluate(() => globalThis.timers.size);
  const isIdle = (timers) =>
    !document.getElementById("task") && globalThis.timers.size === timers;
  await page.evaluate(neverOver);
  await page.evaluate(create);
  await page.shows("#task", "PROCESSING");
  await page.waitFor((timers) => globalThis.timers.size === timers + 1, idle);
  await page.evaluate(() => globalThis.show({ task: false }));
  await page.waitFor(isIdle, idle);

  // Checked again while a request is pending.
  const { url, sent, ended } = await startSilence(t);
  await page.evaluate(neverOver, url);
  await page.evaluate(create);
  await page.causes("a request", sent);
  await page.evaluate(() => globalThis.show({ task: false }));
  await page.causes("the end of the request", ended);
  await page.waitFor(isIdle, idle);
});

test("a task that cannot be read is an error", async (t) => {
  const page = await open(t);
  await page.evaluate(() =>
    globalThis.show({
      task: globalThis.media.tasks.restore({
        id: "none",
        capability: "split_video",
      }),
    }),
  );
  await page.shows("#task", "invalid_input");
});

test("a task that each render restores is followed once", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    const task = await globalThis.media.textToImageTurbo({
      prompt: "a paper boat",
    });
    globalThis.show({ saved: JSON.parse(JSON.stringify(task)) });
  });
  await page.shows("#restored", "SUCCEEDED");
  await page.evaluate(() => new Promise((passed) => setTimeout(passed, 500)));
  // StrictMode renders and mounts twice, and a task has a few states.
  const renders = await page.evaluate(() => globalThis.restoredRenders);
  assert.ok(renders <= 16, `${renders} renders`);
  assert.deepEqual(await consoleLines(page), []);
});

test("a retry after an error follows the task again", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    const real = fetch;
    globalThis.isRefused = true;
    const media = await globalThis.connect({
      url: new URLSearchParams(location.search).get("gateway"),
      fetch: (url, init) =>
        globalThis.isRefused && init.method === "GET"
          ? Promise.resolve(
              Response.json(
                { code: 13, message: "no", data: { reason: "expired" } },
                { status: 403 },
              ),
            )
          : real(url, init),
    });
    const task = await media.textToImageTurbo({ prompt: "a paper boat" });
    globalThis.show({ task });
  });
  await page.shows("#task", "forbidden");
  await page.evaluate(() => {
    globalThis.isRefused = false;
    globalThis.retry();
  });
  await page.shows("#task", "SUCCEEDED");
});

test("a pipeline shows its state", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    const film = await globalThis.media.pipelines.start((p) => {
      const still = p.textToImageTurbo({ prompt: "a paper boat" });
      p.backgroundRemoval({ file_id: still });
    });
    globalThis.show({ film });
  });
  await page.shows("#pipeline", "SUCCEEDED");
});

test("an upload shows its progress and its id, and aborts the previous one", async (t) => {
  const page = await open(t);
  assert.equal(
    await page.evaluate(() => globalThis.upload(new Blob(["x"]))),
    undefined,
  );
  await page.shows("#upload", "not_loaded");
  await connect(page);
  const { aborted, id } = await page.evaluate(async (size) => {
    const file = () =>
      new File([new Uint8Array(size)], "a.png", { type: "image/png" });
    const [first, second] = await Promise.all([
      globalThis.upload(file()),
      globalThis.upload(file()),
    ]);
    return { aborted: first === undefined, id: second };
  }, UPLOAD_BYTES);
  assert.ok(aborted);
  await page.shows("#upload", id);
  const progressed = await page.evaluate(() => globalThis.progressed);
  assert.ok(
    progressed.some(({ loaded, total }) => loaded > 0 && loaded < total),
    JSON.stringify(progressed),
  );
  await page.evaluate(() => globalThis.abort());
  await page.shows("#upload", "idle");
  assert.deepEqual(await consoleLines(page), []);
});

test("several files are uploaded at once, each with its state, and with totals", async (t) => {
  const page = await open(t);
  assert.deepEqual(
    await page.evaluate(async () =>
      (await globalThis.uploadAll([new Blob(["x"])])).map(Boolean),
    ),
    [false],
  );
  await page.shows("#files", "not_loaded false");
  await page.evaluate(() => globalThis.remove());
  await page.shows("#files", "false");
  await connect(page);
  const [[a, b, empty], [c]] = await page.evaluate(async (size) => {
    const file = (name, bytes) =>
      new File([new Uint8Array(bytes)], name, { type: "image/png" });
    const first = globalThis.uploadAll([
      file("a.png", size),
      file("b.png", 9),
      new File([], "empty.png"),
    ]);
    const second = globalThis.uploadAll([file("c.png", size * 5)]);
    // The component renders later.
    while (globalThis.files.length < 4)
      await new Promise((passed) => setTimeout(passed, 10));
    globalThis.remove(globalThis.files.at(-1).key);
    return Promise.all([first, second]);
  }, UPLOAD_BYTES);
  assert.ok(a && b && a !== b, `${a} ${b}`);
  assert.ok(!empty && !c, `${empty} ${c}`);
  await page.shows("#files", "done,done,invalid_argument false");
  assert.deepEqual(
    await page.evaluate(() => globalThis.files.map(({ file }) => file.name)),
    ["a.png", "b.png", "empty.png"],
  );
  assert.deepEqual(await page.evaluate(() => globalThis.total), {
    loaded: UPLOAD_BYTES + 9,
    total: UPLOAD_BYTES + 9,
  });

  // Unmounting aborts the running uploads.
  await page.evaluate((size) => {
    globalThis.left = globalThis.uploadAll([
      new File([new Uint8Array(size * 20)], "d.png", { type: "image/png" }),
    ]);
  }, UPLOAD_BYTES);
  await page.shows("#files", "done,done,invalid_argument,uploading true");
  await page.evaluate(() =>
    globalThis.show({ media: globalThis.media, files: false }),
  );
  assert.deepEqual(
    await page.evaluate(async () => (await globalThis.left).map(Boolean)),
    [false],
  );
  assert.deepEqual(await consoleLines(page), []);
});

test("useMedia connects once, even if each render makes a new function for the token, and again for another user", async (t) => {
  const page = await open(t);
  await page.evaluate(() => globalThis.show({ user: "ada" }));
  await page.shows("#connected", "connected");
  await page.evaluate(() => new Promise((passed) => setTimeout(passed, 500)));
  // StrictMode renders twice, before and after it has connected, and mounts twice.
  const renders = await page.evaluate(() => globalThis.renders);
  assert.ok(renders <= 8, `${renders} renders`);
  await page.evaluate(() => {
    globalThis.first = globalThis.connected;
    globalThis.show({ user: "ben" });
  });
  await page.waitFor(
    () => globalThis.connected && globalThis.connected !== globalThis.first,
  );
  assert.deepEqual(await consoleLines(page), []);
});

test("useMedia shows why there is no client, and connects again", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    globalThis.otherUrl = "ftp://gateway.test";
    globalThis.show({ user: "ada" });
  });
  await page.shows("#connected", "invalid_argument");
  await page.evaluate(() => {
    globalThis.otherUrl = undefined;
    globalThis.reconnect();
  });
  await page.shows("#connected", "connected");
});

test("a provider connects with the newest options, also if a component inside connects first", async (t) => {
  const page = await open(t);
  for (const user of ["ada", "ben"]) {
    await page.evaluate((user) => globalThis.show({ provided: user }), user);
    await page.shows("#provided", user);
  }
  assert.deepEqual(await consoleLines(page), []);
});

test("useHistory reads the history page by page, and again", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    const url = new URLSearchParams(location.search).get("gateway");
    localStorage.clear();
    globalThis.own = await globalThis.connect({ url, turnstile: () => "x" });
    for (const prompt of ["one", "two"])
      await globalThis.own.textToImageTurbo({ prompt });
    globalThis.show({ history: globalThis.own });
  });
  await page.shows("#history", "1 true false");
  await page.evaluate(() => globalThis.history_.loadMore());
  await page.waitFor(() => globalThis.history_.tasks.length === 2);
  await page.evaluate(() => globalThis.history_.refresh());
  await page.shows("#history", "1 true false");
  assert.deepEqual(await consoleLines(page), []);
});

test("useStoredTasks lists what the store has for the user, and follows its changes", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    const store = await globalThis.openStore({ name: String(Math.random()) });
    const storing = store.keep(globalThis.media);
    Object.assign(globalThis, { store, storing });
    globalThis.show({ store, storing });
  });
  await page.shows("#stored", "0 0");
  await page.evaluate(async () => {
    globalThis.stored = await globalThis.storing.textToImageTurbo({
      prompt: "a paper boat",
    });
  });
  await page.shows("#stored", "1 0");
  await page.evaluate(() => globalThis.store.forget(globalThis.stored));
  await page.shows("#stored", "0 0");
  assert.deepEqual(await consoleLines(page), []);
});

test("an output's and a file's facts, a thumbnail, frames and a file are read in the page", async (t) => {
  const page = await open(t);
  const seen = await page.evaluate(async () => {
    const { media, preview } = /** @type {any} */ (globalThis);
    const { inspectFile, inspectOutput, thumbnailOf } = preview;
    const still = await media.textToImageTurbo({ prompt: "a paper boat" });
    const clip = await media.imageToVideo({ file_id: still, prompt: "sail" });
    const image = (await still.done()).outputs[0];
    const video = (await clip.done()).outputs[0];
    const small = await thumbnailOf(video, { size: 64 });
    const { width, height } = await createImageBitmap(small);
    const canvas = Object.assign(document.createElement("canvas"), {
      width: 40,
      height: 10,
    });
    // The canvas can be read, unlike that of a video of another origin.
    const own = { url: URL.createObjectURL(await video.blob()) };
    await preview.drawFrames(own, canvas, 4);
    const pixels = canvas.getContext("2d").getImageData(0, 0, 40, 10).data;
    const links = [];
    HTMLAnchorElement.prototype.click = function () {
      links.push([this.download, this.target]);
    };
    // JSON has no methods.
    const plain = JSON.parse(JSON.stringify(image));
    await preview.downloadOutput(plain, "A paper boat");
    await preview.downloadOutput({ ...plain, url: "/missing.png" });
    const script = { ...plain, url: "javascript:alert(1)" };
    const file = (type, ...parts) => new Blob(parts, { type });
    return {
      image: await inspectOutput(image),
      video: await inspectOutput(video),
      files: [
        await inspectFile(small),
        await inspectFile(file("", await video.blob()), { kind: "video" }),
        await inspectFile(file("image/png", "no picture")),
        await inspectFile(file("image/avif", "no picture")),
        await inspectFile(file("video/mp4", "no video")),
        await inspectFile(file("application/pdf", "%PDF")),
        await inspectFile(file("text/plain", "a")),
      ],
      small: { width, height },
      types: [(await thumbnailOf(image)).type, small.type],
      isDrawn: pixels.every((value, at) => at % 4 !== 3 || value === 255),
      aborted: await preview
        .drawFrames(video, canvas, 4, { signal: AbortSignal.abort() })
        .catch((error) => error.code),
      links,
      script: await preview.downloadOutput(script).catch(({ code }) => code),
      missing: await inspectOutput({ ...image, url: "/missing.png" }).catch(
        (error) => error.code,
      ),
      unknown: await thumbnailOf(image, { width: 9 }).catch(
        (error) => error.message,
      ),
    };
  });
  assert.ok(seen.image.width > 0 && seen.image.height > 0);
  assert.ok(seen.video.width > 0 && seen.video.duration > 0);
  const damaged = { problem: "damaged" };
  assert.deepEqual(seen.files, [
    seen.small,
    seen.video,
    damaged,
    { problem: "not_shown" },
    { problem: "not_shown" },
    {},
    {},
  ]);
  assert.deepEqual(seen.types, ["image/jpeg", "image/jpeg"]);
  assert.deepEqual(
    [Math.max(seen.small.width, seen.small.height), seen.missing, seen.unknown],
    [64, "network", "there is no option width here"],
  );
  assert.equal(seen.isDrawn, true);
  assert.deepEqual([seen.aborted, seen.script], ["aborted", "network"]);
  assert.deepEqual(seen.links, [
    ["a-paper-boat.png", ""],
    ["", "_blank"],
  ]);
});

test("with a logger and a middleware, an upload still reports progress", async (t) => {
  const page = await open(t);
  const { events, lines, own } = await page.evaluate(async (size) => {
    const events = [];
    const lines = [];
    const media = await globalThis.connect({
      url: new URLSearchParams(location.search).get("gateway"),
      logger: {
        debug: (line) => lines.push(line),
        warn: (line) => lines.push(line),
      },
      middleware: async ({ method }, next) => {
        const response = await next();
        return method === "PUT" ? new Response(null, response) : response;
      },
    });
    const onProgress = ({ loaded, total }) => events.push({ loaded, total });
    const id = await media.upload(
      new File([new Uint8Array(size)], "a.png", { type: "image/png" }),
      { onProgress },
    );
    return { events, lines, own: typeof id };
  }, UPLOAD_BYTES);
  assert.equal(own, "string");
  assert.ok(
    events.filter(({ loaded, total }) => loaded > 0 && loaded < total).length >=
      1,
    JSON.stringify(events),
  );
  assert.match(lines.at(-1), /PUT .* 200$/);
});
