// Mistakes with models of the AI SDK's published packages that the compiler refuses.
import { createReplicate } from "@ai-sdk/replicate";
import { createXai } from "@ai-sdk/xai";
import { sdkModel, upstream } from "mediagate-gateway/upstream";

const xai = createXai();

upstream({
  text_to_video: sdkModel(
    createReplicate().video("minimax/video-01"),
    "REPLICATE_API_TOKEN",
    // @ts-expect-error: this capability has no file
    ({ prompt, file_id }) => ({ prompt, image: file_id }),
  ),
});

// @ts-expect-error: a text is no duration
sdkModel(xai.video("a"), "XAI_API_KEY", () => ({ duration: "6" }));
// @ts-expect-error: a model of language makes no media
sdkModel(xai("grok-4"), "XAI_API_KEY", () => ({ prompt: "" }));
