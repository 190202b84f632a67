// Mediagate's own client, used as an app does. It validates before it sends.
import { connect, load, validate } from "mediagate/slim";

export const name = "mediagate";

export async function open(url, wasm) {
  await load(wasm);
  const media = await connect({ url, token: "token" });
  const task = media.tasks.restore({ id: "t-1", capability: "image_to_video" });
  return {
    create: (prompt = "slow push in") =>
      media.imageToVideo({ file_id: "f-1", prompt, ...COMMON }),
    status: () => task.refresh(),
    validate: (capability, input) => validate(capability, input),
  };
}

const COMMON = { aspect_ratio: "16:9", clarity: "720p", duration_seconds: 5 };
