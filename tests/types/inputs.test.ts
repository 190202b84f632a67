// The input of each capability: every field has a type, and none is `any`.
import type {
  Capabilities,
  CapabilityName,
  FileUrl,
  Media,
  MediagateError,
  TaskSnapshot,
} from "mediagate";
import type { AnyPaths, Members } from "./any.js";

declare const photo: File;

/** The smallest input of each capability; a capability that is missing here does not compile. */
export const smallest: { [Name in CapabilityName]: Capabilities[Name] } = {
  text_to_image: { prompt: "a lighthouse" },
  text_to_image_turbo: { prompt: "a lighthouse" },
  text_driven: { avatar_asset_id: "a", voice_asset_id: "v", text: "Hello" },
  audio_driven: { avatar_asset_id: "a", audio_file_id: photo },
  omni_reference_to_video: {
    prompt: "a lighthouse",
    image_file_ids: ["f", photo, new Blob()],
  },
  image_to_video: { file_id: photo, prompt: "slow push in" },
  image_audio_driven: {
    prompt_text: "talks",
    prompt_image_file_id: photo,
    prompt_audio_file_id: "f",
  },
  mv_director: { prompt_image_file_id: photo, prompt_audio_file_id: "f" },
  text_to_video: { prompt: "a lighthouse" },
  split_video: {
    input_file_id: photo,
    segments: [{ start_time: "00:00:00", end_time: "00:00:05" }],
  },
  object_removal_by_prompt: { input_file_id: photo, prompt_text: "the car" },
  subtitle_removal: { file_id: photo },
  resize_video: { input_file_id: photo, width: 640, height: 360 },
  add_audio_to_video: { video_file_id: photo, audio_file_id: photo },
  video_logo_removal: { input_video_file_id: photo },
  background_removal: { file_id: photo },
  head_swap: { source_image_file_id: photo, target_head_image_file_id: photo },
  merge_pdf: { input_file_ids: [photo, "f"] },
  split_pdf: { input_file_id: photo, page_range: "1-3" },
  adjust_audio_volume: { input_file_id: photo, volume: "0.5" },
};

export async function takes(media: Media): Promise<void> {
  await media.textToImage({
    prompt: "p",
    model_id: "text-to-image-default",
    title: "t",
    seed: -1,
  });
  await media.textToImage({ prompt: "p", model_id: "a model of tomorrow" });
  await media.textToVideo({
    prompt: "p",
    aspect_ratio: "9:16",
    clarity: "1080P",
    duration_seconds: 5,
    seed: 7,
    model_id: "m",
  });
  await media.subtitleRemoval({
    file_id: photo,
    region: { x: 0, y: 0, width: 10, height: 10 },
  });
  await media.subtitleRemoval({
    file_id: photo,
    region: { x: 0, y: null },
    "region.width": 10,
    title: null,
  });
  await media.videoLogoRemoval({
    input_video_file_id: photo,
    logo_file_id: ["f", photo],
    logo_type: "default",
  });
  await media.videoLogoRemoval({
    input_video_file_id: photo,
    video_size: { width: 1280, height: 720 },
  });
  await media.videoLogoRemoval({
    input_video_file_id: photo,
    video_size: [1280, 720],
  });
  const files = ["f", photo] as const;
  await media.mergePdf({ input_file_ids: files });
  const url = { url: "https://cdn.example.com/a.pdf" } as const;
  const typed: FileUrl = { ...url, type: "application/pdf" };
  await media.mergePdf({ input_file_ids: ["f", url, typed, "data:,"] });
  await media.pipelines.start((p) => {
    p.backgroundRemoval({ file_id: url });
  });
}

export async function refuses(media: Media): Promise<void> {
  // @ts-expect-error a side is a number
  await media.subtitleRemoval({ file_id: photo, region: { x: "0" } });
  await media.splitVideo({
    input_file_id: photo,
    // @ts-expect-error a segment needs both ends
    segments: [{ start_time: "00:00:00" }],
  });
  // @ts-expect-error a list of numbers is no file
  await media.backgroundRemoval({ file_id: [1, 2, 3] });
  // @ts-expect-error the URL of a file is a string
  await media.backgroundRemoval({ file_id: { url: new URL("https://a.b") } });
  await media.audioDriven({
    // @ts-expect-error a field for an asset takes no URL
    avatar_asset_id: { url: "u" },
    audio_file_id: "f",
  });
  // @ts-expect-error this field takes a list
  await media.mergePdf({ input_file_ids: "f" });
  // @ts-expect-error a prompt is a string
  await media.imageToVideo({ file_id: photo, prompt: photo });
  // @ts-expect-error the volume is a string
  await media.adjustAudioVolume({ input_file_id: photo, volume: 0.5 });
  // @ts-expect-error null is absent, and a prompt is required
  await media.textToImage({ prompt: null });
  // @ts-expect-error a video from text takes no file
  await media.textToVideo({ prompt: "p", file_id: photo });
  // @ts-expect-error an unknown option
  await media.textToImage({ prompt: "p" }, { retries: 3 });
}

type NoAny = [
  { [Name in CapabilityName]: Members<Capabilities[Name]> }[CapabilityName],
  Members<TaskSnapshot>,
  Members<MediagateError>,
  Members<Media>,
  AnyPaths<Awaited<ReturnType<Media["create"]>>>,
  AnyPaths<Awaited<ReturnType<Media["models"]>>>,
];
// A type other than `never` here is a member that is `any`.
export const noAny: NoAny extends never[] ? true : false = true;
