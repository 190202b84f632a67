// What the compiler accepts of a module, and what it refuses.
import {
  falModel,
  geminiModel,
  type Model,
  openAiVideos,
  ProviderError,
  replicateModel,
  requestJson,
  runwayModel,
  upstream,
  variable,
  veoModel,
} from "mediagate-gateway/upstream";

const KLING = "fal-ai/kling-video/v2.5-turbo/pro/image-to-video";

export default upstream({
  text_to_image: {
    flux: falModel("fal-ai/flux/dev", ({ prompt }) => ({ prompt })),
    schnell: replicateModel(
      "black-forest-labs/flux-schnell",
      ({ prompt, seed }) => ({ prompt, seed }),
    ),
    banana: geminiModel("gemini-nano-banana-2.1", ({ prompt, seed = 7 }) => ({
      prompt,
      aspectRatio: "16:9",
      imageSize: "2K",
      seed,
    })),
  },
  image_to_video: {
    kling: {
      accepts: { duration_seconds: [5, 10] },
      model: falModel(KLING, ({ file_id, prompt, duration_seconds }) => ({
        image_url: file_id.url,
        prompt,
        duration: duration_seconds === 10 ? "10" : "5",
      })),
    },
    gen4: runwayModel("image_to_video", ({ file_id, prompt }) => ({
      model: "gen4_turbo",
      promptImage: file_id.url,
      promptText: prompt,
      ratio: "1280:720",
      duration: 5,
    })),
    veo: veoModel("veo-3.1-generate-preview", async ({ file_id, prompt }) => ({
      prompt,
      image: file_id,
      durationSeconds: 8,
      resolution: "720p",
    })),
  },
  text_to_video: {
    sora: openAiVideos("sora-2", ({ prompt }) => ({ prompt, seconds: "4" })),
    veo: openAiVideos(
      "google/veo-3.1",
      ({ prompt, duration_seconds }) => ({
        prompt,
        duration: duration_seconds,
      }),
      { key: "OPENROUTER_API_KEY", baseUrl: "OPENROUTER_BASE_URL" },
    ),
  },
  background_removal: {
    accepts: {},
    model: falModel("fal-ai/birefnet/v2", ({ file_id }) => ({
      image_url: file_id.url,
    })),
  },
  video_logo_removal: own("logos"),
  omni_reference_to_video: falModel(
    "fal-ai/bytedance/seedance/v1/lite/reference-to-video",
    ({ prompt, image_file_ids = [] }) => ({
      prompt,
      reference_image_urls: image_file_ids.map((file) => file.url),
    }),
  ),
  head_swap: geminiModel("gemini-nano-banana-2.1", (input) => ({
    prompt: "swap the heads",
    images: [input.source_image_file_id, input.target_head_image_file_id],
  })),
});

/** A model of one's own, which needs no type of a capability. */
function own(name: string): Model<"video_logo_removal"> {
  return {
    provider: "own",
    name,
    variables: ["OWN_KEY"],
    async start({ logo_file_id = [], input_video_file_id }, env, ready) {
      ready();
      const { id } = await requestJson<{ id: string }>("https://own.example", {
        headers: { authorization: variable(env, "OWN_KEY") },
        json: [input_video_file_id.url, logo_file_id.map(({ url }) => url)],
      });
      return { job: id };
    },
    async status(job) {
      if (job === "gone") throw new ProviderError(404, "there is no such job");
      return { state: "SUCCEEDED", outputs: [{ url: String(job) }] };
    },
  };
}

upstream({
  image_to_video: falModel(KLING, ({ file_id, prompt }) => ({
    image_url: file_id.url,
    prompt,
    // @ts-expect-error Kling takes "5" or "10".
    duration: "5s",
  })),
});

upstream({
  // @ts-expect-error There is no such endpoint.
  text_to_image: falModel("fal-ai/flux/developer", () => ({ prompt: "" })),
});

upstream({
  text_to_image: falModel("fal-ai/flux/dev", ({ prompt }) => ({
    prompt,
    // @ts-expect-error The endpoint has no such field.
    aspect_ratio: "16:9",
  })),
});

upstream({
  // @ts-expect-error The request has no such field.
  text_to_image: falModel("fal-ai/flux/dev", ({ promt }) => ({
    prompt: promt,
  })),
});

upstream({
  // @ts-expect-error There is no such capability.
  text_to_picture: falModel("fal-ai/flux/dev", () => ({ prompt: "" })),
});

upstream({
  image_to_video: {
    // @ts-expect-error The length is a number.
    accepts: { duration_seconds: ["5"] },
    model: replicateModel("a/b", ({ prompt }) => ({ prompt })),
  },
});

upstream({
  text_to_video: openAiVideos("sora-2", ({ prompt }) => ({
    prompt,
    // @ts-expect-error Sora takes "4", "8" or "12".
    seconds: "5",
  })),
});

upstream({
  // @ts-expect-error Runway has no such endpoint.
  text_to_video: runwayModel("text_to_film", ({ prompt }) => ({ prompt })),
});

upstream({
  // @ts-expect-error The model has no such shape.
  image_to_video: runwayModel("image_to_video", ({ file_id, prompt }) => ({
    model: "gen4_turbo",
    promptImage: file_id.url,
    promptText: prompt,
    ratio: "16:9",
  })),
});

// @ts-expect-error A name has an owner.
replicateModel<"text_to_image">("flux", ({ prompt }) => ({ prompt }));

upstream({
  text_to_video: veoModel("veo-3.1-generate-preview", ({ prompt }) => ({
    prompt,
    // @ts-expect-error Google takes a number.
    durationSeconds: "8",
  })),
});

upstream({
  text_to_video: veoModel("veo-3.1-generate-preview", ({ prompt }) => ({
    prompt,
    // @ts-expect-error The Gemini API has no such parameter.
    generateAudio: true,
  })),
});

upstream({
  image_to_video: veoModel("veo-3.1-generate-preview", ({ file_id }) => ({
    prompt: "",
    // @ts-expect-error Google loads no URLs.
    image: file_id.url,
  })),
});

upstream({
  text_to_image: geminiModel("gemini-nano-banana-2.1", ({ prompt, width }) => ({
    prompt,
    // @ts-expect-error Google takes a shape.
    width,
  })),
});

upstream({
  text_to_image: geminiModel("gemini-nano-banana-2.1", ({ prompt }) => ({
    prompt,
    // @ts-expect-error A size is a text, such as "2K".
    imageSize: 2048,
  })),
});
