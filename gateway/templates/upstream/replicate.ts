// The upstream module: it makes what your pages ask for with your account at Replicate. Its key is
// REPLICATE_API_TOKEN, in .dev.vars on this machine. Replicate publishes no types of inputs: the page
// of each model, such as https://replicate.com/black-forest-labs/flux-schnell, lists them.
import { replicateModel, upstream } from "mediagate-gateway/upstream";

/** It makes videos from text, and from a picture. */
const KLING = "kwaivgi/kling-v2.5-turbo-pro";

/** Fields that a model does not read have no effect, and the task says so. */
export default upstream({
  text_to_image: replicateModel(
    "black-forest-labs/flux-dev",
    ({ prompt, seed }) => ({ prompt, seed: seed === -1 ? undefined : seed }),
  ),
  text_to_image_turbo: replicateModel(
    "black-forest-labs/flux-schnell",
    ({ prompt }) => ({ prompt }),
  ),
  text_to_video: {
    // Other values are refused before they cost.
    accepts: { duration_seconds: [5, 10], aspect_ratio: ["16:9", "9:16"] },
    model: replicateModel(
      KLING,
      ({ prompt, duration_seconds, aspect_ratio }) => ({
        prompt,
        duration: duration_seconds ?? 5,
        aspect_ratio: aspect_ratio ?? "16:9",
      }),
    ),
  },
  image_to_video: {
    accepts: { duration_seconds: [5, 10] },
    model: replicateModel(KLING, ({ file_id, prompt, duration_seconds }) => ({
      start_image: file_id.url,
      prompt,
      duration: duration_seconds ?? 5,
    })),
  },
  background_removal: replicateModel(
    "bria/remove-background",
    ({ file_id }) => ({ image: file_id.url }),
  ),
});
