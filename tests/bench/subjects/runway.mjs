// Runway's client. It needs the vendor's key, so that a browser needs a proxy for it.
import RunwayML from "@runwayml/sdk";

export const name = "runway";

export async function open(url) {
  const runway = new RunwayML({ apiKey: "token", baseURL: url, maxRetries: 0 });
  return {
    create: (promptText = "slow push in") =>
      runway.imageToVideo.create({
        model: "gen4_turbo",
        promptImage: "https://x.test/f-1",
        promptText,
        ratio: "1280:720",
        duration: 5,
      }),
    status: () => runway.tasks.retrieve("t-1"),
  };
}
