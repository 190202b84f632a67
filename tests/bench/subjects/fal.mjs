// fal's client through its proxy, set up as its documentation does for browsers.
import { createFalClient } from "@fal-ai/client";

export const name = "fal";

export async function open(url) {
  const fal = createFalClient({
    proxyUrl: `${url}/api/fal/proxy`,
    suppressLocalCredentialsWarning: true,
  });
  const model = "fal-ai/image-to-video";
  return {
    create: (prompt = "slow push in") => {
      const input = {
        image_url: "https://x.test/f-1",
        prompt,
        aspect_ratio: "16:9",
        resolution: "720p",
        duration: "5",
      };
      return fal.queue.submit(model, { input });
    },
    status: () => fal.queue.status(model, { requestId: "t-1" }),
  };
}
