// Replicate's client. It needs the vendor's key, so that a browser needs a proxy for it.
import Replicate from "replicate";

export const name = "replicate";

export async function open(url) {
  const replicate = new Replicate({
    auth: "token",
    baseUrl: `${url}/v1`,
    useFileOutput: false,
  });
  return {
    create: (prompt = "slow push in") => {
      const input = {
        image: "https://x.test/f-1",
        prompt,
        aspect_ratio: "16:9",
        resolution: "720p",
        duration: 5,
      };
      return replicate.predictions.create({
        model: "owner/image-to-video",
        input,
      });
    },
    status: () => replicate.predictions.get("t-1"),
  };
}
