// Mistakes in a module that the compiler refuses. The modules that `init --provider` writes, and
// those of docs/providers.md, are compiled as well.
import {
  falModel,
  geminiModel,
  openAiVideos,
  replicateModel,
  runwayModel,
  upstream,
  veoModel,
} from "mediagate-gateway/upstream";

const KLING = "fal-ai/kling-video/v2.5-turbo/pro/image-to-video";

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
