// An upstream module beside the gateway in one workerd, in front of the stand-in of a provider, driven
// by the package.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "mediagate";
import { startEmulator } from "../support/emulator.mjs";
import { pdf, picture } from "../support/fixtures.mjs";
import { folder } from "../support/folder.mjs";
import {
  KEY,
  LARGE,
  SMALL,
  startProvider,
} from "../support/module/provider.mjs";
import { request } from "../support/request.mjs";
import { sessionToken } from "../support/session.mjs";
import { NO_PROC, residentBytes } from "../support/workerd-process.mjs";
import { MODULE, moduleIn, SECRETS, serveModule } from "./module-support.mjs";
import { command, run } from "./support.mjs";

const world = /** @type {any} */ ({});
before(async () => {
  world.emulator = await startEmulator();
  world.provider = await startProvider();
});
after(() => Promise.all([world.emulator?.stop(), world.provider?.stop()]));

const photo = () =>
  new File([picture(16, 16)], "photo.png", { type: "image/png" });

/** Resolves to the bytes of a task's first output. */
async function bytesOf({ outputs }) {
  const response = await fetch(outputs[0].url);
  assert.equal(response.status, 200);
  return (await response.arrayBuffer()).byteLength;
}

/** Resolves to the error of a task or of its create. */
const failureOf = (task) =>
  task.then((made) => made.done()).then(assert.fail, (error) => error);

test("a page makes pictures and videos by a provider whose key only the module has", async (t) => {
  const { media, printed } = await serveModule(t, world);
  const before = world.provider.jobs.length;
  const now = await (
    await media.textToImage({ prompt: "now", seed: 7 })
  ).done();
  assert.equal(await bytesOf(now), SMALL);
  assert.deepEqual(now.warnings, ["seed has no effect"]);
  const clip = await media.imageToVideo({ file_id: photo(), prompt: "flaky" });
  assert.equal(await bytesOf(await clip.done()), SMALL);
  const references = await media.omniReferenceToVideo({
    prompt: "meet",
    image_file_ids: [photo(), photo()],
  });
  assert.equal(await bytesOf(await references.done()), SMALL);
  const video = await media.textToVideo({ prompt: "a boat", clarity: "720P" });
  assert.equal(await bytesOf(await video.done()), SMALL);
  const jobs = world.provider.jobs.slice(before);
  assert.deepEqual(
    jobs.map(({ capability, files }) => [capability, files.length]),
    [
      ["text_to_image", 0],
      ["image_to_video", 1],
      ["omni_reference_to_video", 2],
      ["text_to_video", 0],
    ],
  );
  // The module has loaded the picture itself.
  assert.equal(jobs[1].files[0].first, 0x89);
  assert.ok(!(printed.out + printed.err).includes(KEY));
});

test("a gateway offers what the models of its module name, or what the operator lists", async (t) => {
  const offered = async (settings) => {
    const { url } = await serveModule(t, world, { settings });
    const { data } = await request(`${url}/api/app/v1/capabilities`);
    return data.capabilities.map(({ capability }) => capability);
  };
  assert.deepEqual(await offered({}), [
    "text_to_image",
    "omni_reference_to_video",
    "image_to_video",
    "text_to_video",
  ]);
  assert.deepEqual(await offered({ CAPABILITIES: "image_to_video" }), [
    "image_to_video",
  ]);
});

test("a wrong key of the provider is the operator's to correct, and is in no message", async (t) => {
  const { media, printed } = await serveModule(t, world, {
    key: "wrong-0123456789",
  });
  const error = await failureOf(media.textToImage({ prompt: "now" }));
  assert.equal(error.reason, "upstream_credentials");
  assert.ok(
    !`${error.message}${printed.out}${printed.err}`.includes("wrong-0"),
  );
});

test("50 MB of a result pass through without being held", {
  skip: NO_PROC,
}, async (t) => {
  const { media } = await serveModule(t, world, {
    settings: { RESULTS_BUCKET_URL: "", UPLOAD_MODE: "direct" },
  });
  const task = await media.textToVideo({ prompt: "large" });
  const { outputs } = await task.done();
  // The first file warms up what is allocated once.
  await bytesOf({ outputs });
  const before = residentBytes();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes());
  }, 20);
  assert.equal(await bytesOf({ outputs }), LARGE);
  clearInterval(watch);
  assert.ok(most - before < LARGE / 2, `${most - before} bytes more`);
});

test("a module gets no variable of the gateway, and needs a file", async (t) => {
  const cwd = await folder(t);
  await writeFile(join(cwd, "taken.vars"), "SEAL_SECRET=x\nOWN=y\n");
  const tried = async (...args) => {
    const { code, err } = await run(t, ["serve", "--port", "0", ...args], {
      cwd,
      env: SECRETS,
    });
    assert.notEqual(code, 0);
    return err;
  };
  assert.match(
    await tried("--upstream-module", MODULE, "--upstream-vars", "taken.vars"),
    /names SEAL_SECRET, which the gateway needs itself/,
  );
  await writeFile(join(cwd, "broken.js"), "export default {");
  assert.match(
    await tried("--upstream-module", "broken.js"),
    /the module broken\.js can't be bundled: broken\.js:1:17: Expected identifier but found end of file/,
  );
  assert.match(
    await tried("--upstream-module", "missing.js"),
    /missing\.js can't be read \(ENOENT\)/,
  );
  assert.match(
    await tried("--upstream-vars", "taken.vars"),
    /--upstream-module/,
  );
});

/** Starts `dev` with the module, and resolves to a client with a session as the playground's. */
async function devModule(t, ...args) {
  const cwd = await folder(t);
  const module = await moduleIn(cwd, world.provider);
  const started = command(t, ["dev", "--port", "0", ...module, ...args], {
    cwd,
  });
  const [, url] = await started.prints(/gateway {9}(\S+)/);
  const media = await connect({ url, token: await sessionToken(url, url) });
  return { started, media };
}

test("dev runs a module, with the emulator's bucket for uploads", async (t) => {
  const { started, media } = await devModule(t);
  await started.prints(/without a token make 20 a day/);
  const clip = await media.imageToVideo({ file_id: photo(), prompt: "move" });
  assert.equal(await bytesOf(await clip.done()), SMALL);
});

test("the emulator serves in dev what the module does not offer, if asked for", async (t) => {
  const { started, media } = await devModule(t, "--fill-with-emulator");
  await started.prints(/not offer is made by the emulator/);
  const { capabilities } = await media.capabilities();
  const modelsOf = (name) =>
    capabilities
      .find(({ capability }) => capability === name)
      .models.map((model) => model.model_id);
  assert.deepEqual(modelsOf("image_to_video"), ["of-image_to_video"]);
  assert.deepEqual(modelsOf("background_removal"), ["emulator"]);
  const estimated = await media.estimate("text_to_image_turbo", {
    prompt: "a boat",
  });
  assert.equal(estimated.capability, "text_to_image_turbo");
  const before = world.provider.jobs.length;
  const cut = await media.backgroundRemoval({ file_id: photo() });
  const { outputs } = await cut.done();
  const response = await fetch(outputs[0].url);
  assert.equal(response.headers.get("content-type"), "image/png");
  const page = new File([await pdf([200])], "page.pdf", {
    type: "application/pdf",
  });
  const merged = await media.mergePdf({ input_file_ids: [page, page] });
  assert.equal((await merged.done()).state, "SUCCEEDED");
  const talk = await media.textDriven({
    avatar_asset_id: "avatar_public",
    voice_asset_id: "voice_public",
    text: "hello",
  });
  assert.equal((await talk.done()).state, "SUCCEEDED");
  assert.equal(world.provider.jobs.length, before);
  const clip = await media.imageToVideo({ file_id: photo(), prompt: "move" });
  assert.equal(await bytesOf(await clip.done()), SMALL);
  assert.equal(world.provider.jobs.length, before + 1);
});

test("only a module is filled with the emulator", async (t) => {
  const cwd = await folder(t);
  const { code, err } = await run(t, ["dev", "--fill-with-emulator"], { cwd });
  assert.notEqual(code, 0);
  assert.match(err, /--fill-with-emulator is for a module/);
});
