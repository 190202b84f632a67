// A module of the library, in TypeScript, behind `serve`, in front of the stand-in of fal.
import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "mediagate";
import { startEmulator } from "../support/emulator.mjs";
import { pageWidths, pdf, picture } from "../support/fixtures.mjs";
import { folder } from "../support/folder.mjs";
import { KEY, startFal } from "../support/providers/fal.mjs";
import { SIZE } from "../support/providers/server.mjs";
import {
  startVideos,
  KEY as VIDEOS_KEY,
} from "../support/providers/videos.mjs";
import { request } from "../support/request.mjs";
import { sessionToken } from "../support/session.mjs";
import { SECRETS, serveModule } from "./module-support.mjs";
import { command, run } from "./support.mjs";

const SOURCE = `import { falModel, openAiVideos, upstream } from "mediagate-gateway/upstream";
import { durationOf } from "./duration";
export default upstream({
  text_to_image: falModel("fal-ai/flux/dev", ({ prompt }) => ({ prompt })),
  image_to_video: {
    accepts: { duration_seconds: [5, 10] },
    model: falModel("fal-ai/kling-video/v2.5-turbo/pro/image-to-video",
      ({ file_id, prompt, duration_seconds }) => ({ image_url: file_id.url, prompt, duration: durationOf(duration_seconds) })),
  },
  background_removal: falModel("fal-ai/birefnet/v2", ({ file_id }) => ({ image_url: file_id.url })),
  text_to_video: openAiVideos("sora-2", ({ prompt }) => ({ prompt })),
});`;

const DURATION = `export const durationOf = (seconds: number | undefined) => (seconds === 10 ? "10" : "5");`;

const world = /** @type {any} */ ({});
before(async () => {
  world.emulator = await startEmulator();
  world.fal = await startFal();
  world.videos = await startVideos();
});
after(() => Promise.all(Object.values(world).map((stand) => stand.stop())));

/** Writes the module into a folder that has no packages, and returns the options that name it. */
async function moduleIn(cwd, key = KEY) {
  const file = join(cwd, "upstream.ts");
  await writeFile(file, SOURCE);
  await writeFile(join(cwd, "duration.ts"), DURATION);
  const vars = join(cwd, "module.vars");
  const lines = [
    `FAL_KEY=${key}`,
    `FAL_QUEUE_URL=${world.fal.url}`,
    `OPENAI_API_KEY=${VIDEOS_KEY}`,
    `OPENAI_BASE_URL=${world.videos.url}/v1`,
  ];
  await writeFile(vars, lines.join("\n"));
  return ["--upstream-module", file, "--upstream-vars", vars];
}

const photo = () =>
  new File([picture(16, 16)], "photo.png", { type: "image/png" });

const failureOf = (task) =>
  task.then((made) => made.done()).then(assert.fail, (error) => error);

test("ten lines make pictures and videos of fal, from the page to the kept result", async (t) => {
  const cwd = await folder(t);
  const { media, url, printed } = await serveModule(t, world, {
    cwd,
    module: await moduleIn(cwd),
  });
  const { data } = await request(`${url}/api/app/v1/capabilities`);
  assert.deepEqual(
    data.capabilities.map(({ capability }) => capability),
    ["text_to_image", "image_to_video", "text_to_video", "background_removal"],
  );
  const sizeOf = async ({ outputs }) =>
    (await (await fetch(outputs[0].url)).arrayBuffer()).byteLength;
  const image = await (
    await media.textToImage({ prompt: "a boat", seed: 7 })
  ).done();
  assert.equal(await sizeOf(image), SIZE);
  assert.deepEqual(/** @type {any} */ (image.raw).warnings, [
    "seed has no effect with fal-ai/flux/dev",
  ]);
  const film = await media.imageToVideo({
    file_id: photo(),
    prompt: "flaky",
    duration_seconds: 10,
  });
  assert.equal(await sizeOf(await film.done()), SIZE);
  const { body } = world.fal.posts.at(-1);
  assert.equal(body.duration, "10");
  // The bucket of the emulator is private, so the picture is in the request.
  assert.match(body.image_url, /^data:image\/png;base64,/);
  const cut = await media.backgroundRemoval({ file_id: photo() });
  assert.equal(await sizeOf(await cut.done()), SIZE);

  const before = world.fal.posts.length;
  const seven = await failureOf(
    media.imageToVideo({ file_id: photo(), prompt: "p", duration_seconds: 7 }),
  );
  assert.equal(seven.code, "invalid_input");
  assert.equal(world.fal.posts.length, before);
  const refused = await failureOf(media.textToImage({ prompt: "refuse" }));
  assert.equal(refused.task.raw.error.reason, "content_refused");
  const lost = await failureOf(media.textToImage({ prompt: "html" }));
  assert.equal(lost.outcome, "unknown");
  assert.ok(!(printed.out + printed.err).includes("canary"));
});

test("documents of a module are merged and kept", async (t) => {
  const cwd = await folder(t);
  const file = join(cwd, "upstream.ts");
  const source = `import { upstream } from "mediagate-gateway/upstream";
import { mergePdf } from "mediagate-gateway/upstream/pdf";
export default upstream({ merge_pdf: mergePdf() });`;
  await writeFile(file, source);
  const { media } = await serveModule(t, world, {
    cwd,
    module: ["--upstream-module", file],
  });
  const documentOf = async (widths) =>
    new File([await pdf(widths)], "a.pdf", { type: "application/pdf" });
  const widthsOf = async ({ outputs }) =>
    pageWidths(await (await fetch(outputs[0].url)).arrayBuffer());
  const merged = await media.mergePdf({
    input_file_ids: [await documentOf([300, 200]), await documentOf([400])],
  });
  assert.deepEqual(await widthsOf(await merged.done()), [300, 200, 400]);
  // A page that is loaded again has only the id.
  const saved = JSON.parse(JSON.stringify(merged));
  const restored = media.tasks.restore(saved);
  assert.deepEqual(await widthsOf(await restored.refresh()), [300, 200, 400]);
});

test("serve names the key that a module lacks", async (t) => {
  const cwd = await folder(t);
  const args = ["serve", "--port", "0", ...(await moduleIn(cwd, ""))];
  const { code, err } = await run(t, args, { cwd, env: SECRETS });
  assert.equal(code, 1);
  assert.match(
    err,
    /the module .*upstream\.ts is not ready: set FAL_KEY, .*; its variables are lines of .*module\.vars/,
  );
});

test("an exception has the line of the operator's file, not that of the bundle", async (t) => {
  const cwd = await folder(t);
  const file = join(cwd, "upstream.ts");
  const source = `import { falModel, upstream } from "mediagate-gateway/upstream";
interface Unused { member: string }
export default upstream({
  text_to_image: falModle("fal-ai/flux/dev"),
});`;
  await writeFile(file, source);
  const args = ["serve", "--port", "0", "--upstream-module", file];
  const { code, err } = await run(t, args, { cwd, env: SECRETS });
  assert.equal(code, 1);
  assert.match(err, /falModle is not defined\s+at .*upstream\.ts:4:18\n/);
});

test("dev follows a module's files and variables, and an error leaves the old module", async (t) => {
  const cwd = await folder(t);
  const args = ["dev", "--port", "0", ...(await moduleIn(cwd))];
  const started = command(t, args, { cwd });
  const [, url] = await started.prints(/gateway {9}(\S+)/);
  const offered = async () => {
    const { data } = await request(`${url}/api/app/v1/capabilities`, {
      bearer: await sessionToken(url, url),
    });
    return data.capabilities.length;
  };
  assert.equal(await offered(), 4);
  const save = (name, text) => writeFile(join(cwd, name), text);
  await save("duration.ts", "export const durationOf = (");
  await started.prints(/duration\.ts:1:28: .*\nThe old module goes on\.$/m);
  assert.equal(await offered(), 4);
  await save("duration.ts", DURATION);
  await save("upstream.ts", SOURCE.replace(/^ {2}background_removal.*$/m, ""));
  await started.prints(/^the module has changed/m);
  assert.equal(await offered(), 3);
  await save("module.vars", "FAL_KEY=");
  await started.prints(/is not ready: set FAL_KEY, OPENAI_API_KEY/);
  assert.equal(await offered(), 3);
});

test("dev runs the module of init, names its key, and takes the emulator if it is told to", async (t) => {
  const cwd = await folder(t);
  await run(t, ["init", "--provider", "fal"], { cwd });
  const lacking = await run(t, ["dev", "--port", "0"], { cwd });
  assert.equal(lacking.code, 1);
  assert.match(
    lacking.err,
    /set FAL_KEY, .*; its variables are lines of upstream\/\.dev\.vars/,
  );
  const emulated = command(t, ["dev", "--port", "0", "--emulator"], { cwd });
  await emulated.prints(/, an emulator;/);
  await emulated.stop();
  await appendFile(
    join(cwd, "upstream/.dev.vars"),
    `FAL_KEY=${KEY}\nFAL_QUEUE_URL=${world.fal.url}\n`,
  );
  const started = command(t, ["dev", "--port", "0"], { cwd });
  await started.prints(/upstream\/upstream\.ts is the upstream module/);
  const [, url] = await started.prints(/gateway {9}(\S+)/);
  const media = await connect({ url, token: await sessionToken(url, url) });
  const task = await media.textToVideo({ prompt: "a boat" });
  assert.equal((await task.done()).state, "SUCCEEDED");
  const both = ["--emulator", "--upstream", "https://api.example.com"];
  const { code, err } = await run(t, ["dev", ...both], { cwd });
  assert.equal(code, 2);
  assert.match(err, /--emulator excludes/);
});
