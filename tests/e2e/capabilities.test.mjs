// Every capability once: its form is filled in as a person does, and its result is shown or played.
import assert from "node:assert/strict";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { download, file, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const image = (name = "a.png") => file(name, "image/png", picture(160, 120));
const sound = () => file("tone.wav", "audio/wav", wav(tone(8_000)));

/** A video of three seconds, which the first capability in the list makes. */
let video;

/** The duration of a player's recording in seconds, once it is known. */
const duration = (player) =>
  player.evaluate(async (it) => {
    if (it.readyState < HTMLMediaElement.HAVE_METADATA)
      await new Promise((ready) => (it.onloadedmetadata = ready));
    return it.duration;
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

const avatar = (it) => it.fill("avatar_asset_id", "avatar_public");
const from = (field) => (it) => it.choose(field, video);

/** For each capability, how to fill in its form, and how to check its result. */
const CAPABILITIES = {
  image_to_video: {
    async fill(it) {
      await it.choose("file_id", image());
      await it.fill("prompt", "slow push in");
      await it.fill("duration_seconds", "3");
    },
    async result(it) {
      await assertVideo(it, 3);
      const [url] = await it.results();
      video = file("clip.mp4", "video/mp4", await download(url));
    },
  },
  text_to_image: {
    async fill(it) {
      await it.fill("prompt", "a lighthouse");
      await it.fill("width", "80");
      await it.fill("height", "60");
    },
    result: async (it) =>
      assert.deepEqual(await shownSize(it.result), [80, 60]),
  },
  text_to_image_turbo: {
    async fill(it) {
      await it.fill("prompt", "a paper boat");
      await it.fill("width", "64");
      await it.fill("height", "48");
    },
    result: async (it) =>
      assert.deepEqual(await shownSize(it.result), [64, 48]),
  },
  text_driven: {
    async fill(it) {
      await avatar(it);
      await it.fill("voice_asset_id", "voice_public");
      await it.fill("text", "Welcome.");
      await it.fill("duration_seconds", "1");
    },
    result: (it) => assertVideo(it, 1),
  },
  audio_driven: {
    async fill(it) {
      await avatar(it);
      await it.choose("audio_file_id", sound());
    },
    result: (it) => assertVideo(it, 1),
  },
  omni_reference_to_video: {
    async fill(it) {
      await it.fill("prompt", "the two meet on a bridge");
      await it.choose("image_file_ids", image("a.png"), image("b.png"));
      await it.fill("duration_seconds", "1");
    },
    result: (it) => assertVideo(it, 1),
  },
  image_audio_driven: {
    async fill(it) {
      await it.fill("prompt_text", "speaks calmly");
      await it.choose("prompt_image_file_id", image());
      await it.choose("prompt_audio_file_id", sound());
    },
    result: (it) => assertVideo(it, 1),
  },
  mv_director: {
    async fill(it) {
      await it.choose("prompt_image_file_id", image());
      await it.choose("prompt_audio_file_id", sound());
    },
    result: (it) => assertVideo(it, 1),
  },
  split_video: {
    async fill(it) {
      await from("input_file_id")(it);
      await it.page
        .getByRole("slider", { name: "End of part 1, seconds" })
        .waitFor();
      await it.page
        .getByLabel("End of part 1", { exact: true })
        .fill("00:00:02");
    },
    result: (it) => assertVideo(it, 2),
  },
  object_removal_by_prompt: {
    async fill(it) {
      await from("input_file_id")(it);
      await it.fill("prompt_text", "the red car");
    },
    result: (it) => assertVideo(it, 3),
  },
  subtitle_removal: {
    fill: from("file_id"),
    result: (it) => assertVideo(it, 3),
  },
  resize_video: {
    async fill(it) {
      await from("input_file_id")(it);
      await it.fill("width", "128");
      await it.fill("height", "72");
    },
    result: (it) => assertVideo(it, 3, [128, 72]),
  },
  add_audio_to_video: {
    async fill(it) {
      await from("video_file_id")(it);
      await it.choose("audio_file_id", sound());
    },
    async result(it) {
      assert.ok((await duration(it.result)) > 0.5);
      const decoded = await it.result.evaluate((player) => {
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
    result: (it) => assertVideo(it, 3),
  },
  background_removal: {
    fill: (it) => it.choose("file_id", image()),
    result: async (it) =>
      assert.deepEqual(await shownSize(it.result), [160, 120]),
  },
  head_swap: {
    async fill(it) {
      await it.choose("source_image_file_id", image("source.png"));
      await it.choose(
        "target_head_image_file_id",
        file("target.png", "image/png", picture(200, 150)),
      );
    },
    result: async (it) =>
      assert.deepEqual(await shownSize(it.result), [200, 150]),
  },
  merge_pdf: {
    fill: async (it) =>
      it.choose(
        "input_file_ids",
        file("a.pdf", "application/pdf", await pdf([201])),
        file("b.pdf", "application/pdf", await pdf([202, 203])),
      ),
    result: (it) => it.task.getByText("3 pages").waitFor(),
  },
  split_pdf: {
    async fill(it) {
      await it.choose(
        "input_file_id",
        file("a.pdf", "application/pdf", await pdf([201, 202, 203])),
      );
      await it.fill("page_range", "2-3");
    },
    result: (it) => it.task.getByText("2 pages").waitFor(),
  },
  adjust_audio_volume: {
    async fill(it) {
      await it.choose("input_file_id", sound());
      await it.fill("volume", "0.5");
    },
    async result(it) {
      assert.equal(
        await it.result.evaluate((player) => player.localName),
        "audio",
      );
      assert.ok(Math.abs((await duration(it.result)) - 1) < 0.1);
    },
  },
};

test("every capability, from its form to its result", async (t) => {
  assert.deepEqual(
    Object.keys(CAPABILITIES).toSorted(),
    catalogue.capabilities.map((it) => it.name).toSorted(),
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
