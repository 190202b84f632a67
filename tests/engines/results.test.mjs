// A film of three steps plays by its address after the media service has lost everything, in the
// engine of `ENGINE`. A kept result needs no header, can be sought by ranges, and can be read by a
// script.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "mediagate";
import { ENGINE, startEngine } from "../support/engines/index.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";
import { TIMEOUT_MS } from "../support/within.mjs";

/**
 * False if the engine can't seek video. Without further packages, Debian's WebKitGTK has no sink
 * for video.
 */
const SEEKS_VIDEO = ENGINE !== "webkit";

let stack, engine;
before(async () => {
  stack = await startStack({
    flags: ["--task-seconds", "0.1"],
    bucket: true,
  });
  engine = await startEngine();
});
after(async () => {
  try {
    await engine?.close();
  } finally {
    await stack?.stop();
  }
});

/** Makes a film in three steps, and returns its output once the gateway keeps it. */
async function makeFilm() {
  const media = await connect({ url: stack.url, token: token() });
  const film = await media.pipelines.start((p) => {
    const still = p.textToImage({ prompt: "a lighthouse at dusk" });
    const clip = p.imageToVideo({ file_id: still, prompt: "push in" });
    const size = { width: 320, height: 180 };
    p.resizeVideo({ input_file_id: clip, ...size, title: "The film" });
  });
  await film.done({ timeout: TIMEOUT_MS });
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const [output] = (await film.refresh()).outputs;
    if (output?.kept) return output;
    assert.ok(Date.now() < end, `it is not kept: ${JSON.stringify(output)}`);
    await sleep(100);
  }
}

test("a film is sought and read after the media service has lost it", async (t) => {
  const film = await makeFilm();
  assert.match(film.fileName, /^The-film\.mp4$/);
  const reset = await fetch(`${stack.admin}/reset`, { method: "POST" });
  assert.ok(reset.ok, `${reset.status}`);

  const page = await engine.open();
  t.after(() => page.close());
  await page.goto(`${stack.url}/`);
  const size = await page.waitFor(async (url) => {
    const response = await fetch(url);
    return (await response.blob()).size;
  }, film.url);
  assert.equal(size, film.size);
  if (!SEEKS_VIDEO) return;
  const seen = await page.waitFor(async (url) => {
    const video = document.createElement("video");
    Object.assign(video, { muted: true, src: url, preload: "auto" });
    const event = (name) =>
      new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        video.addEventListener("error", () => reject(video.error.message));
      });
    await event("loadedmetadata");
    const at = video.duration * 0.8;
    video.currentTime = at;
    await event("seeked");
    return { at, now: video.currentTime, width: video.videoWidth };
  }, film.url);
  assert.ok(
    Math.abs(seen.now - seen.at) < 0.1 && seen.width > 0,
    JSON.stringify(seen),
  );
});
