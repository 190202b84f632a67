// Makes the playground's finished results: runs “Try an example” of each capability, and stores the
// results small. Run after a change of an example or of the emulator's pictures, when the page is
// built: node tests/e2e/draw-results.mjs [CAPABILITY...]
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ffmpeg from "@ffmpeg-installer/ffmpeg";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import sharp from "sharp";
import { startBrowser } from "../support/browser.mjs";
import { startStack } from "../support/stack.mjs";
import { download, Playground } from "./playground.mjs";

const run = promisify(execFile);
const results = fileURLToPath(
  new URL("../../www/src/examples/results/", import.meta.url),
);

/** The limits in bytes, so that all files have less than `www/test/finished.test.ts` allows. */
const MAX_PICTURE = 30_000;
const MAX_VIDEO = 60_000;
/** The largest width of pictures and of videos in pixels. */
const MAX_PICTURE_WIDTH = 1280;
const MAX_VIDEO_WIDTH = 720;
const MAX_SECONDS = 4;
/** The most results of one task that are stored. */
const MAX_OUTPUTS = 3;

const directory = await mkdtemp(`${tmpdir()}/mediagate-results-`);
const { capabilities } = catalogue;
const wanted = process.argv.slice(2);
const stack = await startStack({
  flags: ["--task-seconds", "0.1", "--extensions"],
  // An extension is offered only if it is listed.
  settings: { CAPABILITIES: capabilities.map(({ name }) => name).join() },
});
const browser = await startBrowser();
try {
  const playground = await Playground.open(browser, stack.url);
  await playground.show("text_to_image");
  for (const capability of capabilities)
    if (wanted.length === 0 || wanted.includes(capability.name))
      await store(capability, await make(playground, capability.name));
} finally {
  await browser.close();
  await stack.stop();
  await rm(directory, { recursive: true });
}

/** Runs the example of a capability, and downloads its first results. */
async function make(playground, name) {
  await playground.go(name);
  const tasks = playground.page.locator(".task");
  const count = await tasks.count();
  await playground.press("Try an example");
  await tasks.nth(count).waitFor();
  await playground.reaches("SUCCEEDED");
  const urls = await playground.results();
  return Promise.all(urls.slice(0, MAX_OUTPUTS).map(download));
}

async function store({ name, medium, fields }, outputs) {
  for (const file of await readdir(results))
    if (file.replace(/(-\d)?\.\w+$/, "") === name) await rm(results + file);
  const isSounding = fields.some(
    ({ media, required }) => media === "audio" && required,
  );
  for (const [index, bytes] of outputs.entries()) {
    const target = `${results}${name}${outputs.length > 1 ? `-${index + 1}` : ""}`;
    if (medium === "image") await storePicture(bytes, target);
    else if (medium === "video") await storeVideo(bytes, target, isSounding);
    else if (medium === "audio") await storeSound(bytes, target);
    else await writeFile(`${target}.pdf`, bytes);
  }
}

async function storePicture(bytes, target) {
  const resized = sharp(bytes).resize({
    width: MAX_PICTURE_WIDTH,
    withoutEnlargement: true,
  });
  for (const quality of [90, 85, 80, 75, 70, 60, 50]) {
    const options = { quality, effort: 6, smartSubsample: true };
    const small = await resized.clone().webp(options).toBuffer();
    if (small.length > MAX_PICTURE) continue;
    await writeFile(`${target}.webp`, small);
    return;
  }
  assert.fail(`${target}.webp does not fit in ${MAX_PICTURE} bytes`);
}

async function storeVideo(bytes, target, isSounding) {
  const source = `${directory}/source.mp4`;
  await writeFile(source, bytes);
  const sound = isSounding ? "-c:a aac -b:a 64k" : "-an";
  for (const quality of [20, 22, 24, 26, 28, 30, 32, 34, 36, 38]) {
    const options =
      `-t ${MAX_SECONDS} -vf scale='min(${MAX_VIDEO_WIDTH},iw)':-2 ${sound} ` +
      `-c:v libx264 -preset veryslow -tune animation -crf ${quality} ` +
      "-pix_fmt yuv420p -movflags +faststart";
    await convert(source, options, `${target}.mp4`);
    if ((await readFile(`${target}.mp4`)).length > MAX_VIDEO) continue;
    const poster = `${directory}/poster.png`;
    // Of the first frames the one that resembles the others most, so none of a fade.
    await convert(`${target}.mp4`, "-vf thumbnail=6 -frames:v 1", poster);
    await storePicture(await readFile(poster), target);
    return;
  }
  assert.fail(`${target}.mp4 does not fit in ${MAX_VIDEO} bytes`);
}

async function storeSound(bytes, target) {
  const source = `${directory}/source`;
  await writeFile(source, bytes);
  await convert(source, "-c:a libmp3lame -b:a 64k -ac 1", `${target}.mp3`);
}

function convert(source, options, target) {
  const input = ["-y", "-loglevel", "error", "-i", source];
  return run(ffmpeg.path, [...input, ...options.split(" "), target]);
}
