// The upstream module: it makes what your pages ask for with your account at Google's Gemini API. Its
// key is GEMINI_API_KEY, in .dev.vars on this machine. https://ai.google.dev/gemini-api/docs/models has
// further models. The compiler checks the requests if @google/genai is installed.
//
// Google has announced the end of the previews of Veo. A model that is gone refuses a video with 404,
// which costs nothing: take the name of its successor.
import { geminiModel, upstream, veoModel } from "mediagate-gateway/upstream";

const VEO = "veo-3.1-generate-preview";

/** Fields that a model does not read have no effect, and the task says so. */
export default upstream({
  // Google takes a shape, such as `aspectRatio: "16:9"`, instead of a width and a height.
  text_to_image: geminiModel("gemini-nano-banana-2.1", ({ prompt }) => ({
    prompt,
  })),
  text_to_video: {
    // Other values are refused before they cost.
    accepts: { duration_seconds: [4, 6, 8], aspect_ratio: ["16:9", "9:16"] },
    model: veoModel(VEO, ({ prompt, duration_seconds, aspect_ratio }) => ({
      prompt,
      durationSeconds: duration_seconds ?? 8,
      aspectRatio: aspect_ratio ?? "16:9",
    })),
  },
  image_to_video: {
    accepts: { duration_seconds: [4, 6, 8], aspect_ratio: ["16:9", "9:16"] },
    model: veoModel(
      VEO,
      ({ file_id, prompt, duration_seconds, aspect_ratio }) => ({
        prompt,
        image: file_id,
        durationSeconds: duration_seconds ?? 8,
        aspectRatio: aspect_ratio ?? "16:9",
      }),
    ),
  },
  omni_reference_to_video: {
    // With reference pictures, Veo makes 8 seconds.
    accepts: { duration_seconds: [8], aspect_ratio: ["16:9", "9:16"] },
    model: veoModel(
      VEO,
      ({ prompt, image_file_ids = [], duration_seconds, aspect_ratio }) => {
        if (image_file_ids.length < 1 || image_file_ids.length > 3)
          throw new Error("give one to three pictures");
        return {
          prompt,
          referenceImages: image_file_ids,
          durationSeconds: duration_seconds ?? 8,
          aspectRatio: aspect_ratio ?? "16:9",
        };
      },
    ),
  },
});
