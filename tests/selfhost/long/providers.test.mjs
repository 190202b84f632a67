// Every capability of every module that `init --provider` writes, from the package to a stand-in of
// the provider and back: on a server, and under `wrangler dev`.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { connect } from "mediagate";
import { PROVIDERS } from "../../../gateway/src/init/provider.js";
import { startEmulator } from "../../support/emulator.mjs";
import { picture, tone, wav } from "../../support/fixtures.mjs";
import { folder } from "../../support/folder.mjs";
import { KEY as FAL_KEY } from "../../support/providers/fal.mjs";
import { KEY as GOOGLE_KEY } from "../../support/providers/google.mjs";
import { KEY as REPLICATE_KEY } from "../../support/providers/replicate.mjs";
import { KEY as RUNWAY_KEY } from "../../support/providers/runway.mjs";
import { KEY as VIDEOS_KEY } from "../../support/providers/videos.mjs";
import { token } from "../../support/token.mjs";
import { startModuleInWrangler } from "../../support/wrangler.mjs";
import { startProviders } from "../../upstream/support.mjs";
import { serveModule } from "../module-support.mjs";

const world = /** @type {any} */ ({});
before(async () => {
  world.emulator = await startEmulator();
  Object.assign(world, { providers: await startProviders() });
});
after(() => Promise.all([world.emulator?.stop(), world.providers?.stop()]));

const photo = () =>
  new File([picture(16, 16)], "photo.png", { type: "image/png" });
const sound = () =>
  new File([wav(tone(0.5))], "sound.wav", { type: "audio/wav" });
/** The beginning of a film. Nothing here reads more of it. */
const film = () =>
  new File(["\0\0\0\x18ftypmp42\0\0\0\0mp42isom"], "film.mp4", {
    type: "video/mp4",
  });

/** Returns a request of each capability that a provider serves. */
const inputs = () => ({
  text_to_image: { prompt: "a boat" },
  text_to_image_turbo: { prompt: "a boat" },
  text_to_video: { prompt: "a boat" },
  image_to_video: { file_id: photo(), prompt: "it moves" },
  omni_reference_to_video: { prompt: "meet", image_file_ids: [photo()] },
  image_audio_driven: {
    prompt_text: "she speaks",
    prompt_image_file_id: photo(),
    prompt_audio_file_id: sound(),
  },
  background_removal: { file_id: photo() },
  resize_video: { input_file_id: film(), width: 64, height: 64 },
});

/** The variables of each module, in front of the stand-ins. */
const variables = {
  fal: ({ fal }) => ({ FAL_KEY, FAL_QUEUE_URL: fal.url }),
  replicate: ({ replicate }) => ({
    REPLICATE_API_TOKEN: REPLICATE_KEY,
    REPLICATE_BASE_URL: `${replicate.url}/v1`,
  }),
  runway: ({ runway }) => ({
    RUNWAYML_API_SECRET: RUNWAY_KEY,
    RUNWAYML_BASE_URL: runway.url,
  }),
  openrouter: ({ videos }) => ({
    OPENROUTER_API_KEY: VIDEOS_KEY,
    OPENROUTER_BASE_URL: `${videos.url}/v1`,
  }),
  google: ({ google }) => ({
    GEMINI_API_KEY: GOOGLE_KEY,
    GEMINI_BASE_URL: google.url,
  }),
};

const template = (word) =>
  fileURLToPath(
    new URL(`../../../gateway/templates/upstream/${word}.ts`, import.meta.url),
  );

/** Returns the name of the package's method. */
const methodOf = (capability) =>
  capability.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Makes one result of each capability, and loads it. */
async function makeAll(media, capabilities) {
  const given = inputs();
  for (const capability of capabilities) {
    const task = await media[methodOf(capability)](given[capability]);
    const { outputs } = await task.done();
    const response = await fetch(outputs[0].url);
    assert.equal(response.status, 200, capability);
    assert.ok((await response.arrayBuffer()).byteLength > 0, capability);
  }
}

for (const [word, variablesOf] of Object.entries(variables))
  describe(word, () => {
    const { offers } = PROVIDERS[word];

    test("each capability works on a server", async (t) => {
      const cwd = await folder(t);
      const vars = join(cwd, "module.vars");
      const lines = Object.entries(variablesOf(world.providers));
      await writeFile(vars, lines.map((line) => line.join("=")).join("\n"));
      const { media } = await serveModule(t, world, {
        cwd,
        module: ["--upstream-module", template(word), "--upstream-vars", vars],
      });
      await makeAll(media, offers);
    });

    test("each capability works under wrangler dev", async (t) => {
      const url = await startModuleInWrangler(
        t,
        template(word),
        variablesOf(world.providers),
        { CAPABILITIES: offers.join(",") },
      );
      await makeAll(await connect({ url, token: token() }), offers);
    });
  });

test("every provider of init has its stand-in here", () => {
  const named = Object.keys(PROVIDERS).filter((word) => word !== "custom");
  assert.deepEqual(named.sort(), Object.keys(variables).sort());
});
