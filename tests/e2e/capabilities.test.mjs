// Every capability once: a test fills in its form as a person does, and its result is shown or
// played.
import assert from "node:assert/strict";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { download, file, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const image = (name = "a.png") => file(name, "image/png", picture(160, 120));
const sound = () => file("tone.wav", "audio/wav", wav(tone(8_000)));

/** A video of three seconds. The first capability in the list makes it, for the others. */
let video;

/** Resolves to the duration of a player's recording in seconds, once it is known. */
const duration = (player) =>
  player.evaluate(async (video) => {
    if (video.readyState < HTMLMediaElement.HAVE_METADATA)
      await new Promise((ready) => (video.onloadedmetadata = ready));
    return video.duration;
  });

async function assertVideo(playground, seconds, size) {
  const [width, height] = await shownSize(playground.result);
  assert.ok(width > 0 && height > 0);
  if (size) assert.deepEqual([width, height], size);
  const actual = await duration(playground.result);
  assert.ok(
    Math.abs(actual - seconds) < 0.3,
    `${actual} seconds instead of ${seconds}`,
  );
}

const avatar = (playground) =>
  playground.fill("avatar_asset_id", "avatar_public");
const from = (field) => (playground) => playground.choose(field, video);

/** Fills in the form of each capability, and checks its result. */
const CAPABILITIES = {
  image_to_video: {
    async fill(playground) {
      await playground.choose("file_id", image());
      await playground.fill("prompt", "slow push in");
      await playground.fill("duration_seconds", "3");
    },
    async result(playground) {
      await assertVideo(playground, 3);
      const [url] = await playground.results();
      video = file("clip.mp4", "video/mp4", await download(url));
    },
  },
  text_to_image: {
    async fill(playground) {
      await playground.fill("prompt", "a lighthouse");
      await playground.fill("width", "80");
      await playground.fill("height", "60");
    },
    result: async (playground) =>
      assert.deepEqual(await shownSize(playground.result), [80, 60]),
  },
  text_to_image_turbo: {
    async fill(playground) {
      await playground.fill("prompt", "a paper boat");
      await playground.fill("width", "64");
      await playground.fill("height", "48");
    },
    result: async (playground) =>
      assert.deepEqual(await shownSize(playground.result), [64, 48]),
  },
  text_driven: {
    async fill(playground) {
      await avatar(playground);
      await playground.fill("voice_asset_id", "voice_public");
      await playground.fill("text", "Welcome.");
      await playground.fill("duration_seconds", "1");
    },
    result: (playground) => assertVideo(playground, 1),
  },
  audio_driven: {
    async fill(playground) {
      await avatar(playground);
      await playground.choose("audio_file_id", sound());
    },
    result: (playground) => assertVideo(playground, 1),
  },
  omni_reference_to_video: {
    async fill(playground) {
      await playground.fill("prompt", "the two meet on a bridge");
      await playground.choose("image_file_ids", image("a.png"), image("b.png"));
      await playground.fill("duration_seconds", "1");
    },
    result: (playground) => assertVideo(playground, 1),
  },
  image_audio_driven: {
    async fill(playground) {
      await playground.fill("prompt_text", "speaks calmly");
      await playground.choose("prompt_image_file_id", image());
      await playground.choose("prompt_audio_file_id", sound());
    },
    result: (playground) => assertVideo(playground, 1),
  },
  mv_director: {
    async fill(playground) {
      await playground.choose("prompt_image_file_id", image());
      await playground.choose("prompt_audio_file_id", sound());
    },
    result: (playground) => assertVideo(playground, 1),
  },
  split_video: {
    async fill(playground) {
      await from("input_file_id")(playground);
      await playground.page
        .getByRole("slider", { name: "End of part 1, seconds" })
        .waitFor();
      await playground.page
        .getByLabel("End of part 1", { exact: true })
        .fill("00:00:02");
    },
    result: (playground) => assertVideo(playground, 2),
  },
  object_removal_by_prompt: {
    async fill(playground) {
      await from("input_file_id")(playground);
      await playground.fill("prompt_text", "the red car");
    },
    result: (playground) => assertVideo(playground, 3),
  },
  subtitle_removal: {
    fill: from("file_id"),
    result: (playground) => assertVideo(playground, 3),
  },
  resize_video: {
    async fill(playground) {
      await from("input_file_id")(playground);
      await playground.fill("width", "128");
      await playground.fill("height", "72");
    },
    result: (playground) => assertVideo(playground, 3, [128, 72]),
  },
  add_audio_to_video: {
    async fill(playground) {
      await from("video_file_id")(playground);
      await playground.choose("audio_file_id", sound());
    },
    async result(playground) {
      assert.ok((await duration(playground.result)) > 0.5);
      const decoded = await playground.result.evaluate((player) => {
        player.muted = true;
        return player
          .play()
          .then(
            () =>
              new Promise(
                (resolve) =>
                  (player.ontimeupdate = () =>
                    player.currentTime > 0.2 &&
                    resolve(player.webkitAudioDecodedByteCount)),
              ),
          );
      });
      assert.ok(decoded > 0, "the video has no sound");
    },
  },
  video_logo_removal: {
    fill: from("input_video_file_id"),
    result: (playground) => assertVideo(playground, 3),
  },
  background_removal: {
    fill: (playground) => playground.choose("file_id", image()),
    result: async (playground) =>
      assert.deepEqual(await shownSize(playground.result), [160, 120]),
  },
  head_swap: {
    async fill(playground) {
      await playground.choose("source_image_file_id", image("source.png"));
      await playground.choose(
        "target_head_image_file_id",
        file("target.png", "image/png", picture(200, 150)),
      );
    },
    result: async (playground) =>
      assert.deepEqual(await shownSize(playground.result), [200, 150]),
  },
  merge_pdf: {
    fill: async (playground) =>
      playground.choose(
        "input_file_ids",
        file("a.pdf", "application/pdf", await pdf([201])),
        file("b.pdf", "application/pdf", await pdf([202, 203])),
      ),
    result: (playground) => playground.task.getByText("3 pages").waitFor(),
  },
  split_pdf: {
    async fill(playground) {
      await playground.choose(
        "input_file_id",
        file("a.pdf", "application/pdf", await pdf([201, 202, 203])),
      );
      await playground.fill("page_range", "2-3");
    },
    result: (playground) => playground.task.getByText("2 pages").waitFor(),
  },
  adjust_audio_volume: {
    async fill(playground) {
      await playground.choose("input_file_id", sound());
      await playground.fill("volume", "0.5");
    },
    async result(playground) {
      assert.equal(
        await playground.result.evaluate((player) => player.localName),
        "audio",
      );
      assert.ok(Math.abs((await duration(playground.result)) - 1) < 0.1);
    },
  },
};

test("every capability works, from its form to its result", async (t) => {
  assert.deepEqual(
    Object.keys(CAPABILITIES).toSorted(),
    catalogue.capabilities.map((capability) => capability.name).toSorted(),
  );
  const playground = await open(t, "image_to_video");
  const kinds = new Set();
  for (const [name, { fill, result }] of Object.entries(CAPABILITIES)) {
    await t.test(name, async () => {
      const before = await playground.page.locator(".task").count();
      await playground.go(name);
      await fill(playground);
      await playground.run();
      await playground.page.locator(".task").nth(before).waitFor();
      await playground.reaches("SUCCEEDED");
      await result(playground);
      kinds.add(
        await playground.task
          .locator(".result")
          .first()
          .getAttribute("data-kind"),
      );
    });
  }
  assert.deepEqual([...kinds].toSorted(), ["audio", "image", "pdf", "video"]);
  assert.deepEqual(playground.pageErrors, []);
});
