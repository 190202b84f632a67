// The upstream module: it makes what your pages ask for with your account at Runway's API. Its key is
// RUNWAYML_API_SECRET, in .dev.vars on this machine. https://docs.dev.runwayml.com has further models,
// whose requests the compiler checks if @runwayml/sdk is installed.
import { runwayModel, upstream } from "mediagate-gateway/upstream";

/** Fields that a model does not read have no effect, and the task says so. */
export default upstream({
  text_to_image: runwayModel("text_to_image", ({ prompt, seed }) => ({
    model: "gen4_image",
    promptText: prompt,
    ratio: "1024:1024",
    // -1 is any seed, as for a request without one.
    ...(seed === undefined || seed === -1 ? {} : { seed }),
  })),
  text_to_video: {
    // Other values are refused before they cost.
    accepts: { duration_seconds: [5, 10], aspect_ratio: ["16:9", "9:16"] },
    model: runwayModel(
      "text_to_video",
      ({ prompt, duration_seconds, aspect_ratio }) => ({
        model: "gen4.5",
        promptText: prompt,
        duration: duration_seconds ?? 5,
        ratio: aspect_ratio === "9:16" ? "720:1280" : "1280:720",
      }),
    ),
  },
  image_to_video: {
    accepts: { duration_seconds: [5, 10], aspect_ratio: ["16:9", "9:16"] },
    model: runwayModel(
      "image_to_video",
      ({ file_id, prompt, duration_seconds, aspect_ratio }) => ({
        model: "gen4_turbo",
        promptImage: file_id.url,
        promptText: prompt,
        duration: duration_seconds ?? 5,
        ratio: aspect_ratio === "9:16" ? "720:1280" : "1280:720",
      }),
    ),
  },
});
