// The upstream module: it makes videos with your account at OpenRouter. Its key is OPENROUTER_API_KEY,
// in .dev.vars on this machine. https://openrouter.ai/api/v1/videos/models lists the models, and the
// values that each one takes.
import { openAiVideos, upstream } from "mediagate-gateway/upstream";

const MODEL = "google/veo-3.1";
const OPENROUTER = {
  provider: "openrouter",
  key: "OPENROUTER_API_KEY",
  baseUrl: "OPENROUTER_BASE_URL",
  defaultBaseUrl: "https://openrouter.ai/api/v1",
};

/** Fields that a model does not read have no effect, and the task says so. */
export default upstream({
  text_to_video: {
    // Other values are refused before they cost.
    accepts: { duration_seconds: [4, 6, 8], aspect_ratio: ["16:9", "9:16"] },
    model: openAiVideos(
      MODEL,
      ({ prompt, duration_seconds, aspect_ratio }) => ({
        prompt,
        duration: duration_seconds,
        aspect_ratio,
      }),
      OPENROUTER,
    ),
  },
  image_to_video: {
    accepts: { duration_seconds: [4, 6, 8], aspect_ratio: ["16:9", "9:16"] },
    model: openAiVideos(
      MODEL,
      ({ file_id, prompt, duration_seconds, aspect_ratio }) => ({
        prompt,
        duration: duration_seconds,
        aspect_ratio,
        frame_images: [
          {
            type: "image_url",
            image_url: { url: file_id.url },
            frame_type: "first_frame",
          },
        ],
      }),
      OPENROUTER,
    ),
  },
});
