import type { CapabilityName } from "mediagate";
import type { Values } from "../storage";

export interface PlannedStep {
  capability: CapabilityName;
  from?: { field: string; step: CapabilityName };
  values?: Values;
}

export type ReadyMadeName =
  | "Make a film"
  | "Product clip"
  | "Talking host"
  | "Cut-downs";

export const PLANS: Record<ReadyMadeName, readonly PlannedStep[]> = {
  "Make a film": [
    {
      capability: "text_to_image",
      values: {
        prompt: "a hot air balloon over the mountains at dawn",
        width: 1280,
        height: 720,
      },
    },
    {
      capability: "image_to_video",
      from: { field: "file_id", step: "text_to_image" },
      values: { prompt: "the balloon rises slowly", duration_seconds: 4 },
    },
    {
      capability: "add_audio_to_video",
      from: { field: "video_file_id", step: "image_to_video" },
    },
  ],
  "Product clip": [
    { capability: "background_removal" },
    {
      capability: "image_to_video",
      from: { field: "file_id", step: "background_removal" },
      values: { prompt: "the product turns slowly", duration_seconds: 3 },
    },
    {
      capability: "add_audio_to_video",
      from: { field: "video_file_id", step: "image_to_video" },
    },
  ],
  "Talking host": [
    {
      capability: "text_to_image",
      values: {
        prompt: "a friendly host in a bright studio, looking at the camera",
        width: 640,
        height: 640,
      },
    },
    {
      capability: "image_audio_driven",
      from: { field: "prompt_image_file_id", step: "text_to_image" },
      values: { prompt_text: "greets the audience and smiles" },
    },
    {
      capability: "resize_video",
      from: { field: "input_file_id", step: "image_audio_driven" },
      values: { width: 360, height: 360 },
    },
  ],
  "Cut-downs": [
    { capability: "subtitle_removal" },
    {
      capability: "split_video",
      from: { field: "input_file_id", step: "subtitle_removal" },
      values: {
        segments: [
          { start_time: "00:00:00", end_time: "00:00:02" },
          { start_time: "00:00:03", end_time: "00:00:05" },
        ],
      },
    },
    {
      capability: "resize_video",
      from: { field: "input_file_id", step: "subtitle_removal" },
      values: { width: 320, height: 180 },
    },
  ],
};
