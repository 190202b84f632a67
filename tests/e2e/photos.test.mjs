// Photos that their camera turned: what is drawn on, what is stored, and what comes back have one frame of reference.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { startBrowser } from "../support/browser.mjs";
import { startEmulator } from "../support/emulator.mjs";
import { startGateway } from "../support/gateway.mjs";
import { freePort } from "../support/port.mjs";
import { startStorageProxy } from "../support/storage-proxy.mjs";
import { file, Playground } from "./playground.mjs";

const stored = [];
const parts = [];
let browser, url;
before(async () => {
  const port = await freePort();
  const storage = await startStorageProxy(port, {
    before: async (_upload, body) => stored.push(body),
  });
  parts.push(storage);
  const emulator = await startEmulator(
    ["--task-seconds", "0.1", "--base-url", storage.url],
    port,
  );
  parts.push(emulator);
  const page = await freePort();
  const gateway = await startGateway(
    {
      UPSTREAM_BASE_URL: `http://127.0.0.1:${port}`,
      ALLOWED_ORIGINS: `http://127.0.0.1:${page}`,
      ANONYMOUS_SESSIONS: "on",
      UPLOAD_HOSTS: "127.0.0.1",
      MEDIA_HOSTS: storage.url,
    },
    { port: page, assets: true },
  );
  parts.push(gateway);
  url = gateway.url;
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  for (const part of parts.reverse()) await part.stop();
});

/** A photo of 64 by 32 pixels, which EXIF turns by an orientation of 1 to 8. */
const photo = async (orientation) =>
  file(
    "photo.jpg",
    "image/jpeg",
    await sharp({
      create: { width: 64, height: 32, channels: 3, background: "#a05020" },
    })
      .jpeg()
      .withMetadata({ orientation })
      .toBuffer(),
  );

for (const [orientation, size] of /** @type {const} */ ([
  [1, [64, 32]],
  [3, [64, 32]],
  [6, [32, 64]],
]))
  test(`a photo of the orientation ${orientation} is stored as it is shown`, async (t) => {
    stored.length = 0;
    const playground = await Playground.open(
      browser,
      url,
      "background_removal",
    );
    t.after(() => playground.close());
    await playground.choose("file_id", await photo(orientation));
    await playground.run();
    await playground.reaches("SUCCEEDED");
    assert.equal(stored.length, 1);
    const {
      width,
      height,
      orientation: left = 1,
    } = await sharp(stored[0]).metadata();
    assert.deepEqual([width, height, left], [...size, 1]);
  });
