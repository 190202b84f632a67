// The upstream module: it makes what your pages ask for with your account at fal. Its key is FAL_KEY,
// in .dev.vars on this machine. https://fal.ai/models has further models, whose inputs the compiler
// checks if @fal-ai/client is installed.
import { falModel, upstream } from "mediagate-gateway/upstream";

/** Fields that a model does not read have no effect, and the task says so. */
export default upstream({
  text_to_image: falModel(
    "fal-ai/flux/dev",
    ({ prompt, width = 1024, height = 1024, seed }) => ({
      prompt,
      image_size: { width, height },
      // -1 is any seed, as for a request without one.
      ...(seed === undefined || seed === -1 ? {} : { seed }),
    }),
  ),
  text_to_image_turbo: falModel(
    "fal-ai/flux/schnell",
    ({ prompt, width = 1024, height = 1024 }) => ({
      prompt,
      image_size: { width, height },
    }),
  ),
  text_to_video: {
    // Other values are refused before they cost.
    accepts: { duration_seconds: [5, 10], aspect_ratio: ["16:9", "9:16"] },
    model: falModel(
      "fal-ai/kling-video/v2.5-turbo/pro/text-to-video",
      ({ prompt, duration_seconds, aspect_ratio }) => ({
        prompt,
        duration: duration_seconds === 10 ? "10" : "5",
        aspect_ratio: aspect_ratio === "9:16" ? "9:16" : "16:9",
      }),
    ),
  },
  image_to_video: {
    accepts: { duration_seconds: [5, 10] },
    model: falModel(
      "fal-ai/kling-video/v2.5-turbo/pro/image-to-video",
      ({ file_id, prompt, duration_seconds }) => ({
        image_url: file_id.url,
        prompt,
        duration: duration_seconds === 10 ? "10" : "5",
      }),
    ),
  },
  omni_reference_to_video: {
    accepts: { duration_seconds: [5, 10], aspect_ratio: ["16:9", "9:16"] },
    model: falModel(
      "fal-ai/bytedance/seedance/v1/lite/reference-to-video",
      ({ prompt, image_file_ids = [], duration_seconds, aspect_ratio }) => {
        if (image_file_ids.length === 0)
          throw new Error("give at least one picture");
        return {
          prompt,
          reference_image_urls: image_file_ids.map(({ url }) => url),
          duration: duration_seconds === 10 ? "10" : "5",
          aspect_ratio: aspect_ratio === "9:16" ? "9:16" : "16:9",
        };
      },
    ),
  },
  image_audio_driven: falModel(
    "fal-ai/bytedance/omnihuman/v1.5",
    ({ prompt_text, prompt_image_file_id, prompt_audio_file_id }) => ({
      prompt: prompt_text,
      image_url: prompt_image_file_id.url,
      audio_url: prompt_audio_file_id.url,
    }),
  ),
  background_removal: falModel("fal-ai/birefnet/v2", ({ file_id }) => ({
    image_url: file_id.url,
  })),
  resize_video: falModel(
    "fal-ai/workflow-utilities/scale-video",
    ({ input_file_id, width, height }) => ({
      video_url: input_file_id.url,
      width,
      height,
    }),
  ),
});
