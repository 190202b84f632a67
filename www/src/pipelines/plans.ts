/** Ready-made pipelines, built from the examples of the forms. */
import type { CapabilityName } from "mediagate";
import { findCapability } from "../catalogue";
import { exampleOf } from "../examples";
import { requestOf } from "../form/model";
import { mediumOfCapability, type StepReference } from "../results/reference";
import type { DraftStep, Values } from "../storage";
import { stepTitle } from "./names";
import type { ReadyMadeName } from "./ReadyMade";

interface Plan {
  capability: CapabilityName;
  /** The field that takes the result of an earlier step, and the step. */
  from?: { field: string; step: CapabilityName };
  /** The values that differ from the form's example. */
  values?: Values;
}

const PLANS: Record<ReadyMadeName, readonly Plan[]> = {
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

/** Loads the files of a ready-made pipeline, and returns its steps. */
export function readyMadeSteps(name: ReadyMadeName): Promise<DraftStep[]> {
  return Promise.all(PLANS[name].map(stepOf));
}

async function stepOf({ capability, from, values }: Plan): Promise<DraftStep> {
  const definition = findCapability(capability);
  const example = definition ? await exampleOf(definition) : {};
  const input = from && { [from.field]: resultOf(from.step) };
  return {
    name: capability,
    capability,
    values: requestOf({ ...example, ...values, ...input }),
  };
}

function resultOf(step: CapabilityName): StepReference {
  return {
    step,
    name: stepTitle({ name: step, capability: step }),
    kind: mediumOfCapability(findCapability(step)),
  };
}
