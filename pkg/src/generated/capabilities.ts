// Written from the catalogue by `cargo xtask generate`; edits are lost.

/**
 * A task: a `Task`, its snapshot, the saved form of it, or its entry in the history. An input waits
 * for the task, and uses its first output that fits.
 */
export interface TaskReference {
  /** The id of the task. */
  readonly id: string;
  /** The capability that created the task. */
  readonly capability: CapabilityName;
}

/** An output of a task, such as `task.outputs[0]`. */
export interface OutputReference {
  /** The id of the task. */
  readonly taskId: string;
  /** The position of the output in the outputs of the task, from 0. */
  readonly output: number;
}

/**
 * A file at an https URL that is loaded without a login. The gateway moves it into the storage, for
 * hosts in its setting `INPUT_HOSTS`. Or a data URI, whose file is uploaded first.
 */
export interface FileUrl {
  /** The URL. */
  readonly url: string;
  /** The media type, such as `image/png`. It replaces the type that the server states. */
  readonly type?: string | undefined;
}

/**
 * The id of an uploaded file; a `File`, a `Blob`, bytes or a data URI, which are uploaded first; or
 * a URL, a task or an output of one, which the gateway moves into the storage.
 */
export type FileInput =
  | string
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | FileUrl
  | TaskReference
  | OutputReference;

/**
 * The id of an avatar or a voice; a task that produced one; or an output of a task, with its
 * `assetId`.
 */
export type AssetInput =
  | string
  | TaskReference
  | (OutputReference & { readonly assetId?: string | null | undefined });

/** A part of a video. It does not end before it starts. */
export interface Segment {
  /** The start, as `HH:MM:SS`, such as `00:01:30`. */
  start_time: string;
  /** The end, as `HH:MM:SS`. */
  end_time: string;
}

/** A rectangle in a picture or a video, in pixels. The media service chooses an absent member. */
export interface Region {
  /** The left edge. */
  x?: number | null | undefined;
  /** The top edge. */
  y?: number | null | undefined;
  /** The width. */
  width?: number | null | undefined;
  /** The height. */
  height?: number | null | undefined;
}

/** The size of a video in pixels. */
export type VideoSize =
  | readonly [width: number, height: number]
  | ({
      width?: number | null | undefined;
      height?: number | null | undefined;
    } & {
      [member: string]: number | null | undefined;
    });

/** Draws a picture from a text prompt. */
export interface TextToImageInput {
  /**
   * The content of the picture.
   * @example `"a lighthouse at dusk"`
   */
  prompt: string;
  /**
   * Things that the picture should not show.
   * @example `"blurry, watermark"`
   */
  negative_prompt?: string | null | undefined;
  /**
   * In pixels.
   *
   * Takes a whole number.
   *
   * @defaultValue `1024`
   */
  height?: number | null | undefined;
  /**
   * In pixels.
   *
   * Takes a whole number.
   *
   * @defaultValue `1024`
   */
  width?: number | null | undefined;
  /**
   * The seed; -1 generates one.
   *
   * Takes a whole number.
   *
   * @defaultValue `-1`
   */
  seed?: number | null | undefined;
  /**
   * Steps of refinement.
   *
   * Takes a whole number.
   *
   * @defaultValue `9`
   */
  num_inference_steps?: number | null | undefined;
  /**
   * The degree to which the picture follows the prompt.
   *
   * Takes a finite number.
   *
   * @defaultValue `0.0`
   */
  guidance_scale?: number | null | undefined;
  /**
   * Normalises the guidance.
   *
   * Takes true or false.
   *
   * @defaultValue `false`
   */
  cfg_normalization?: boolean | null | undefined;
  /**
   * The point at which the guidance is cut off.
   *
   * Takes a finite number.
   *
   * @defaultValue `1.0`
   */
  cfg_truncation?: number | null | undefined;
  /**
   * Maximum text sequence length.
   *
   * Takes a whole number.
   *
   * @defaultValue `512`
   */
  max_sequence_length?: number | null | undefined;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"text-to-image-default"`
   */
  model_id?: "text-to-image-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Draws a picture from a text prompt, faster and with fewer settings. */
export interface TextToImageTurboInput {
  /**
   * The content of the picture.
   * @example `"a paper boat on a puddle"`
   */
  prompt: string;
  /**
   * Things that the picture should not show.
   * @example `"blurry, watermark"`
   */
  negative_prompt?: string | null | undefined;
  /**
   * In pixels.
   *
   * Takes a whole number.
   *
   * @defaultValue `1024`
   */
  height?: number | null | undefined;
  /**
   * In pixels.
   *
   * Takes a whole number.
   *
   * @defaultValue `1024`
   */
  width?: number | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?: string | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Makes a video of an avatar that speaks a script with a chosen voice. */
export interface TextDrivenInput {
  /**
   * The avatar who speaks: one of your own, or an official public one.
   *
   * Takes the id of an avatar asset.
   * @example `"avatar_1"`
   */
  avatar_asset_id: AssetInput;
  /**
   * The voice that reads the script, for the lip sync.
   *
   * Takes the id of a voice asset.
   * @example `"voice_1"`
   */
  voice_asset_id: AssetInput;
  /**
   * The script; must not be empty.
   * @example `"Welcome to our shop."`
   */
  text: string;
  /**
   * Shape of the picture, such as 16:9 or 9:16.
   *
   * Known values: `16:9`, `9:16`; a model may accept others.
   */
  aspect_ratio?: "16:9" | "9:16" | (string & {}) | null | undefined;
  /**
   * Resolution label.
   *
   * Known values: `1080P`, `2K`; a model may accept others.
   * @example `"1080P"`
   */
  clarity?: "1080P" | "2K" | (string & {}) | null | undefined;
  /**
   * Length of the video in seconds.
   *
   * Takes a whole number.
   */
  duration_seconds?: number | null | undefined;
  /**
   * Reference links.
   *
   * Takes a list of strings.
   * @example `["https://example.com"]`
   */
  links?: readonly string[] | null | undefined;
  /**
   * Model label or version.
   * @example `"v1"`
   */
  model?: string | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?: "talking-video-text-standard" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Makes a lip-synced video of an avatar from uploaded audio. */
export interface AudioDrivenInput {
  /**
   * The avatar who speaks: one of your own, or an official public one.
   *
   * Takes the id of an avatar asset.
   * @example `"avatar_1"`
   */
  avatar_asset_id: AssetInput;
  /**
   * The speech of the avatar, as an uploaded sound.
   *
   * Takes a sound.
   */
  audio_file_id: FileInput;
  /**
   * Shape of the picture, such as 16:9 or 9:16.
   *
   * Known values: `16:9`, `9:16`; a model may accept others.
   */
  aspect_ratio?: "16:9" | "9:16" | (string & {}) | null | undefined;
  /**
   * Resolution label.
   *
   * Known values: `1080P`, `2K`; a model may accept others.
   * @example `"1080P"`
   */
  clarity?: "1080P" | "2K" | (string & {}) | null | undefined;
  /**
   * Length of the video in seconds.
   *
   * Takes a whole number.
   */
  duration_seconds?: number | null | undefined;
  /**
   * Reference links.
   *
   * Takes a list of strings.
   * @example `["https://example.com"]`
   */
  links?: readonly string[] | null | undefined;
  /**
   * Model label or version.
   * @example `"v1"`
   */
  model?: string | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?: "talking-video-audio-standard" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/**
 * Makes a video from a prompt and reference images, videos or audio, at least one of them.
 *
 * At least one of `image_file_ids`, `video_file_ids`, `audio_file_ids` is needed.
 */
export interface OmniReferenceToVideoInput {
  /**
   * The action in the video.
   * @example `"the two characters meet on a bridge"`
   */
  prompt: string;
  /** Reference images. */
  image_file_ids?: readonly FileInput[] | null | undefined;
  /**
   * Reference videos; one model takes none, another at most 15 seconds of video and audio together.
   */
  video_file_ids?: readonly FileInput[] | null | undefined;
  /**
   * Reference audio, limited together with `video_file_ids`.
   *
   * Takes sounds.
   */
  audio_file_ids?: readonly FileInput[] | null | undefined;
  /**
   * Shape of the picture, such as 16:9 or 9:16.
   *
   * Known values: `16:9`, `9:16`; a model may accept others.
   */
  aspect_ratio?: "16:9" | "9:16" | (string & {}) | null | undefined;
  /**
   * Resolution label.
   * @example `"1080P"`
   */
  clarity?: string | null | undefined;
  /**
   * Length of the video in seconds.
   *
   * Takes a whole number.
   */
  duration_seconds?: number | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?: string | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/**
 * Makes a video from a picture and a motion prompt. The default model needs the Starter plan and is
 * billed per second of video.
 */
export interface ImageToVideoInput {
  /**
   * The picture to bring to life.
   *
   * Takes an image.
   */
  file_id: FileInput;
  /**
   * The motion; must not be empty.
   * @example `"slow push in"`
   */
  prompt: string;
  /**
   * Shape of the picture, such as 16:9 or 9:16.
   *
   * Known values: `16:9`, `9:16`; a model may accept others.
   */
  aspect_ratio?: "16:9" | "9:16" | (string & {}) | null | undefined;
  /**
   * Resolution label.
   *
   * Known values: `720P`, `1080P`; a model may accept others.
   * @example `"1080P"`
   */
  clarity?: "720P" | "1080P" | (string & {}) | null | undefined;
  /**
   * Length of the video in seconds.
   *
   * Takes a whole number.
   */
  duration_seconds?: number | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?: string | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Makes a person in a picture speak an uploaded sound. */
export interface ImageAudioDrivenInput {
  /**
   * The manner of speaking.
   * @example `"speaks calmly to the camera"`
   */
  prompt_text: string;
  /**
   * The person, as a reference image.
   *
   * Takes an image.
   */
  prompt_image_file_id: FileInput;
  /**
   * The speech of the person, as an uploaded sound.
   *
   * Takes a sound.
   */
  prompt_audio_file_id: FileInput;
  /**
   * Size to which frames are brought before generation.
   *
   * Known values: `720p`; a model may accept others.
   *
   * @defaultValue `"720p"`
   */
  resolution?: "720p" | (string & {}) | null | undefined;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"image-audio-driven-video-default"`
   */
  model_id?:
    | "image-audio-driven-video-default"
    | (string & {})
    | null
    | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Directs a music video from one track and one portrait. */
export interface MvDirectorInput {
  /**
   * The portrait of the artist.
   *
   * Takes an image.
   */
  prompt_image_file_id: FileInput;
  /**
   * The track.
   *
   * Takes a sound.
   */
  prompt_audio_file_id: FileInput;
  /**
   * The character for the shot designer; left out, the media service describes a moody cinematic
   * night drive.
   * @example `"a quiet night on a neon street"`
   */
  persona?: string | null | undefined;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"mv-director-default"`
   */
  model_id?: "mv-director-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/**
 * Makes a video from a text prompt.
 *
 * An extension: the document of the media service does not have it, and a gateway offers it only if
 * its setting CAPABILITIES names it.
 */
export interface TextToVideoInput {
  /**
   * The content and the motion of the video; must not be empty.
   * @example `"a lighthouse at dusk, slow push in"`
   */
  prompt: string;
  /**
   * Shape of the picture, such as 16:9 or 9:16.
   *
   * Known values: `16:9`, `9:16`; a model may accept others.
   */
  aspect_ratio?: "16:9" | "9:16" | (string & {}) | null | undefined;
  /**
   * Resolution label.
   *
   * Known values: `720P`, `1080P`; a model may accept others.
   * @example `"1080P"`
   */
  clarity?: "720P" | "1080P" | (string & {}) | null | undefined;
  /**
   * Length of the video in seconds.
   *
   * Takes a whole number.
   */
  duration_seconds?: number | null | undefined;
  /**
   * The seed; -1 generates one.
   *
   * Takes a whole number.
   */
  seed?: number | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?: string | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Cuts parts out of a video. */
export interface SplitVideoInput {
  /**
   * The video.
   *
   * Takes a video.
   */
  input_file_id: FileInput;
  /**
   * The parts to keep, each from `start_time` to `end_time` as HH:MM:SS.
   *
   * Takes a list of objects with start_time and end_time.
   *
   * @defaultValue `[{"start_time":"00:00:00","end_time":"00:00:05"}]`
   */
  segments: readonly Segment[];
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"split-video-default"`
   */
  model_id?: "split-video-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Removes an object, named in words, from a video. */
export interface ObjectRemovalByPromptInput {
  /**
   * The video.
   *
   * Takes a video.
   */
  input_file_id: FileInput;
  /**
   * The object to remove, in words.
   * @example `"the red car"`
   */
  prompt_text: string;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"remove-video-object-by-prompt-default"`
   */
  model_id?:
    | "remove-video-object-by-prompt-default"
    | (string & {})
    | null
    | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Removes burnt-in subtitles from a video. */
export interface SubtitleRemovalInput {
  /**
   * The video.
   *
   * Takes a video.
   */
  file_id: FileInput;
  /**
   * The rectangle to work on: its top left corner and its size, in pixels.
   *
   * Takes an object with x, y, width and height in pixels.
   * @example `{"x":0,"y":0,"width":320,"height":80}`
   */
  region?: Region | null | undefined;
  /** `x` of `region`, as a member of its own. */
  "region.x"?: number | null | undefined;
  /** `y` of `region`, as a member of its own. */
  "region.y"?: number | null | undefined;
  /** `width` of `region`, as a member of its own. */
  "region.width"?: number | null | undefined;
  /** `height` of `region`, as a member of its own. */
  "region.height"?: number | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?:
    | "video-subtitle-removal-standard"
    | (string & {})
    | null
    | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Brings a video to another size. */
export interface ResizeVideoInput {
  /**
   * The video.
   *
   * Takes a video.
   */
  input_file_id: FileInput;
  /**
   * In pixels.
   *
   * Takes a whole number.
   * @example `640`
   */
  width: number;
  /**
   * In pixels.
   *
   * Takes a whole number.
   * @example `360`
   */
  height: number;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"resize-video-default"`
   */
  model_id?: "resize-video-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Replaces or adds the sound of a video. */
export interface AddAudioToVideoInput {
  /**
   * The video.
   *
   * Takes a video.
   */
  video_file_id: FileInput;
  /**
   * The new sound.
   *
   * Takes a sound.
   */
  audio_file_id: FileInput;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"add-audio-to-video-default"`
   */
  model_id?: "add-audio-to-video-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Removes a logo from a video. */
export interface VideoLogoRemovalInput {
  /**
   * The video.
   *
   * Takes a video.
   */
  input_video_file_id: FileInput;
  /**
   * Pictures of the logo, for its mask: one id or a list.
   *
   * Takes images.
   */
  logo_file_id?: FileInput | readonly FileInput[] | null | undefined;
  /**
   * The original size of the video, as a hint.
   *
   * Takes [width, height] in pixels, or an object with them.
   * @example `[1280,720]`
   */
  video_size?: VideoSize | null | undefined;
  /**
   * The motion of the logo: `default`, or one of nine modes named after a platform.
   *
   * Known values: `default`; a model may accept others.
   *
   * @defaultValue `"default"`
   */
  logo_type?: "default" | (string & {}) | null | undefined;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"video-logo-removal-default"`
   */
  model_id?: "video-logo-removal-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Makes the background of a picture transparent. */
export interface BackgroundRemovalInput {
  /**
   * The picture.
   *
   * Takes an image.
   */
  file_id: FileInput;
  /**
   * The rectangle to work on: its top left corner and its size, in pixels.
   *
   * Takes an object with x, y, width and height in pixels.
   * @example `{"x":0,"y":0,"width":320,"height":80}`
   */
  region?: Region | null | undefined;
  /** `x` of `region`, as a member of its own. */
  "region.x"?: number | null | undefined;
  /** `y` of `region`, as a member of its own. */
  "region.y"?: number | null | undefined;
  /** `width` of `region`, as a member of its own. */
  "region.width"?: number | null | undefined;
  /** `height` of `region`, as a member of its own. */
  "region.height"?: number | null | undefined;
  /** The model to use; left out, the media service uses its default. */
  model_id?:
    | "image-background-removal-standard"
    | (string & {})
    | null
    | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Puts the head of one picture on the body of another. */
export interface HeadSwapInput {
  /**
   * The picture whose head is taken.
   *
   * Takes an image.
   */
  source_image_file_id: FileInput;
  /**
   * The picture whose head is replaced; its body and scene stay.
   *
   * Takes an image.
   */
  target_head_image_file_id: FileInput;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"image-head-swap-default"`
   */
  model_id?: "image-head-swap-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Joins PDF documents into one. */
export interface MergePdfInput {
  /**
   * The documents, in order.
   *
   * Takes PDFs.
   */
  input_file_ids: readonly FileInput[];
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"merge-pdf-default"`
   */
  model_id?: "merge-pdf-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Takes pages out of a PDF document. */
export interface SplitPdfInput {
  /**
   * The document.
   *
   * Takes a PDF.
   */
  input_file_id: FileInput;
  /**
   * The pages to keep, such as 1-3, 1,3,5 or 1-2,5.
   *
   * Takes pages, such as 1-3, 1,3,5 or 1-2,5.
   * @example `"1-2,5"`
   */
  page_range: string;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"split-pdf-default"`
   */
  model_id?: "split-pdf-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** Makes a sound louder or quieter. */
export interface AdjustAudioVolumeInput {
  /**
   * The sound.
   *
   * Takes a sound.
   */
  input_file_id: FileInput;
  /**
   * A multiplier such as 0.5, or decibels such as -6dB.
   *
   * Takes a multiplier such as 0.5, or decibels such as -6dB.
   * @example `"0.5"`
   */
  volume: string;
  /**
   * The model to use; left out, the media service uses its default.
   *
   * @defaultValue `"adjust-audio-volume-default"`
   */
  model_id?: "adjust-audio-volume-default" | (string & {}) | null | undefined;
  /** A title for the task. */
  title?: string | null | undefined;
}

/** The request of each capability, by its name. */
export interface Capabilities {
  text_to_image: TextToImageInput;
  text_to_image_turbo: TextToImageTurboInput;
  text_driven: TextDrivenInput;
  audio_driven: AudioDrivenInput;
  omni_reference_to_video: OmniReferenceToVideoInput;
  image_to_video: ImageToVideoInput;
  image_audio_driven: ImageAudioDrivenInput;
  mv_director: MvDirectorInput;
  text_to_video: TextToVideoInput;
  split_video: SplitVideoInput;
  object_removal_by_prompt: ObjectRemovalByPromptInput;
  subtitle_removal: SubtitleRemovalInput;
  resize_video: ResizeVideoInput;
  add_audio_to_video: AddAudioToVideoInput;
  video_logo_removal: VideoLogoRemovalInput;
  background_removal: BackgroundRemovalInput;
  head_swap: HeadSwapInput;
  merge_pdf: MergePdfInput;
  split_pdf: SplitPdfInput;
  adjust_audio_volume: AdjustAudioVolumeInput;
}

/** The name of a capability. */
export type CapabilityName = keyof Capabilities;

/** A capability: its names and its path. */
export interface CapabilityInfo {
  /** The name, such as `image_to_video`. */
  readonly name: CapabilityName;
  /** The method of the client, such as `imageToVideo`. */
  readonly method: CapabilityMethod;
  /**
   * The group: `generate` makes new media, `process` changes existing media. The scope of a session
   * token may name a group.
   */
  readonly group: "generate" | "process";
  /** The medium that it works on: `video`, `image`, `audio`, or `asset` for a PDF document. */
  readonly medium: "video" | "image" | "audio" | "asset";
  /** The path on the gateway, such as `/api/app/v1/generate/video/image_to_video`. */
  readonly path: string;
  /**
   * True for an extension: the document of the media service does not have it, and a gateway offers
   * it only if its setting `CAPABILITIES` names it.
   */
  readonly extension?: boolean;
}

/** The name of the client's method for a capability, such as `imageToVideo`. */
export type CapabilityMethod = Exclude<
  keyof CapabilityMethods<unknown, unknown>,
  "create"
>;

/**
 * All capabilities, in the order of the media service's documentation. Extensions are the last of
 * their group.
 */
export const CATALOGUE: readonly CapabilityInfo[] = [
  {
    name: "text_to_image",
    method: "textToImage",
    group: "generate",
    medium: "image",
    path: "/api/app/v1/generate/image/text_to_image",
  },
  {
    name: "text_to_image_turbo",
    method: "textToImageTurbo",
    group: "generate",
    medium: "image",
    path: "/api/app/v1/generate/image/text_to_image_turbo",
  },
  {
    name: "text_driven",
    method: "textDriven",
    group: "generate",
    medium: "video",
    path: "/api/app/v1/generate/video/text_driven",
  },
  {
    name: "audio_driven",
    method: "audioDriven",
    group: "generate",
    medium: "video",
    path: "/api/app/v1/generate/video/audio_driven",
  },
  {
    name: "omni_reference_to_video",
    method: "omniReferenceToVideo",
    group: "generate",
    medium: "video",
    path: "/api/app/v1/generate/video/omni_reference_to_video",
  },
  {
    name: "image_to_video",
    method: "imageToVideo",
    group: "generate",
    medium: "video",
    path: "/api/app/v1/generate/video/image_to_video",
  },
  {
    name: "image_audio_driven",
    method: "imageAudioDriven",
    group: "generate",
    medium: "video",
    path: "/api/app/v1/generate/video/image_audio_driven",
  },
  {
    name: "mv_director",
    method: "mvDirector",
    group: "generate",
    medium: "video",
    path: "/api/app/v1/generate/video/mv_director",
  },
  {
    name: "text_to_video",
    method: "textToVideo",
    group: "generate",
    medium: "video",
    path: "/api/app/v1/generate/video/text_to_video",
    extension: true,
  },
  {
    name: "split_video",
    method: "splitVideo",
    group: "process",
    medium: "video",
    path: "/api/app/v1/process/video/split_video",
  },
  {
    name: "object_removal_by_prompt",
    method: "objectRemovalByPrompt",
    group: "process",
    medium: "video",
    path: "/api/app/v1/process/video/object_removal_by_prompt",
  },
  {
    name: "subtitle_removal",
    method: "subtitleRemoval",
    group: "process",
    medium: "video",
    path: "/api/app/v1/process/video/subtitle_removal",
  },
  {
    name: "resize_video",
    method: "resizeVideo",
    group: "process",
    medium: "video",
    path: "/api/app/v1/process/video/resize_video",
  },
  {
    name: "add_audio_to_video",
    method: "addAudioToVideo",
    group: "process",
    medium: "video",
    path: "/api/app/v1/process/video/add_audio_to_video",
  },
  {
    name: "video_logo_removal",
    method: "videoLogoRemoval",
    group: "process",
    medium: "video",
    path: "/api/app/v1/process/video/video_logo_removal",
  },
  {
    name: "background_removal",
    method: "backgroundRemoval",
    group: "process",
    medium: "image",
    path: "/api/app/v1/process/image/background_removal",
  },
  {
    name: "head_swap",
    method: "headSwap",
    group: "process",
    medium: "image",
    path: "/api/app/v1/process/image/head_swap",
  },
  {
    name: "merge_pdf",
    method: "mergePdf",
    group: "process",
    medium: "asset",
    path: "/api/app/v1/process/asset/merge_pdf",
  },
  {
    name: "split_pdf",
    method: "splitPdf",
    group: "process",
    medium: "asset",
    path: "/api/app/v1/process/asset/split_pdf",
  },
  {
    name: "adjust_audio_volume",
    method: "adjustAudioVolume",
    group: "process",
    medium: "audio",
    path: "/api/app/v1/process/audio/adjust_audio_volume",
  },
];

/**
 * A method for each capability, which calls {@link CapabilityMethods.create}.
 *
 * @typeParam Task - The result of each method.
 * @typeParam Options - The options that each method takes beside the input.
 */
export abstract class CapabilityMethods<Task, Options> {
  /**
   * Creates a task of a capability by name.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - The fields of the request.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task.
   */
  abstract create<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: Options,
  ): Promise<Task>;

  /**
   * Draws a picture from a text prompt.
   *
   * @param input - `prompt` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent; any other
   * code of the media service; a code of the client, such as `network`. Its `outcome` says if the
   * create may have cost credits.
   * @example
   * ```js
   * const task = await media.textToImage({ prompt: "a lighthouse at dusk" });
   * ```
   */
  textToImage(input: TextToImageInput, options?: Options): Promise<Task> {
    return this.create("text_to_image", input, options);
  }

  /**
   * Draws a picture from a text prompt, faster and with fewer settings.
   *
   * @param input - `prompt` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   * @example
   * ```js
   * const task = await media.textToImageTurbo({ prompt: "a paper boat on a puddle" });
   * ```
   */
  textToImageTurbo(
    input: TextToImageTurboInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("text_to_image_turbo", input, options);
  }

  /**
   * Makes a video of an avatar that speaks a script with a chosen voice.
   *
   * @param input - `avatar_asset_id`, `voice_asset_id`, `text` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`, `asset_category_mismatch`,
   * `voice_asset_required`, `asset_locked`, `asset_expired`; a code of the client, such as
   * `network`. Its `outcome` says if the create may have cost credits.
   */
  textDriven(input: TextDrivenInput, options?: Options): Promise<Task> {
    return this.create("text_driven", input, options);
  }

  /**
   * Makes a lip-synced video of an avatar from uploaded audio.
   *
   * @param input - `avatar_asset_id`, `audio_file_id` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`, `asset_category_mismatch`,
   * `asset_locked`, `asset_expired`; a code of the client, such as `network`. Its `outcome` says if
   * the create may have cost credits.
   */
  audioDriven(input: AudioDrivenInput, options?: Options): Promise<Task> {
    return this.create("audio_driven", input, options);
  }

  /**
   * Makes a video from a prompt and reference images, videos or audio, at least one of them.
   *
   * @param input - `prompt` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `unauthenticated`,
   * `provider_error`, `server_error`; a code of the client, such as `network`. Its `outcome` says
   * if the create may have cost credits.
   */
  omniReferenceToVideo(
    input: OmniReferenceToVideoInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("omni_reference_to_video", input, options);
  }

  /**
   * Makes a video from a picture and a motion prompt. The default model needs the Starter plan and
   * is billed per second of video.
   *
   * @param input - `file_id`, `prompt` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`, `asset_category_mismatch`;
   * a code of the client, such as `network`. Its `outcome` says if the create may have cost
   * credits.
   * @example
   * ```js
   * const task = await media.imageToVideo({ file_id: photo, prompt: "slow push in" });
   * ```
   */
  imageToVideo(input: ImageToVideoInput, options?: Options): Promise<Task> {
    return this.create("image_to_video", input, options);
  }

  /**
   * Makes a person in a picture speak an uploaded sound.
   *
   * @param input - `prompt_text`, `prompt_image_file_id`, `prompt_audio_file_id` and optional
   * fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  imageAudioDriven(
    input: ImageAudioDrivenInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("image_audio_driven", input, options);
  }

  /**
   * Directs a music video from one track and one portrait.
   *
   * @param input - `prompt_image_file_id`, `prompt_audio_file_id` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  mvDirector(input: MvDirectorInput, options?: Options): Promise<Task> {
    return this.create("mv_director", input, options);
  }

  /**
   * Makes a video from a text prompt.
   *
   * An extension: the document of the media service does not have it, and a gateway offers it only
   * if its setting CAPABILITIES names it.
   *
   * @param input - `prompt` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent; any other
   * code of the media service; a code of the client, such as `network`. Its `outcome` says if the
   * create may have cost credits.
   * @example
   * ```js
   * const task = await media.textToVideo({ prompt: "a lighthouse at dusk, slow push in" });
   * ```
   */
  textToVideo(input: TextToVideoInput, options?: Options): Promise<Task> {
    return this.create("text_to_video", input, options);
  }

  /**
   * Cuts parts out of a video.
   *
   * @param input - `input_file_id`, `segments` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  splitVideo(input: SplitVideoInput, options?: Options): Promise<Task> {
    return this.create("split_video", input, options);
  }

  /**
   * Removes an object, named in words, from a video.
   *
   * @param input - `input_file_id`, `prompt_text` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  objectRemovalByPrompt(
    input: ObjectRemovalByPromptInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("object_removal_by_prompt", input, options);
  }

  /**
   * Removes burnt-in subtitles from a video.
   *
   * @param input - `file_id` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  subtitleRemoval(
    input: SubtitleRemovalInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("subtitle_removal", input, options);
  }

  /**
   * Brings a video to another size.
   *
   * @param input - `input_file_id`, `width`, `height` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  resizeVideo(input: ResizeVideoInput, options?: Options): Promise<Task> {
    return this.create("resize_video", input, options);
  }

  /**
   * Replaces or adds the sound of a video.
   *
   * @param input - `video_file_id`, `audio_file_id` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  addAudioToVideo(
    input: AddAudioToVideoInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("add_audio_to_video", input, options);
  }

  /**
   * Removes a logo from a video.
   *
   * @param input - `input_video_file_id` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  videoLogoRemoval(
    input: VideoLogoRemovalInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("video_logo_removal", input, options);
  }

  /**
   * Makes the background of a picture transparent.
   *
   * @param input - `file_id` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   * @example
   * ```js
   * const task = await media.backgroundRemoval({ file_id: photo });
   * ```
   */
  backgroundRemoval(
    input: BackgroundRemovalInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("background_removal", input, options);
  }

  /**
   * Puts the head of one picture on the body of another.
   *
   * @param input - `source_image_file_id`, `target_head_image_file_id` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   * @example
   * ```js
   * const task = await media.headSwap({ source_image_file_id: photo, target_head_image_file_id: photo });
   * ```
   */
  headSwap(input: HeadSwapInput, options?: Options): Promise<Task> {
    return this.create("head_swap", input, options);
  }

  /**
   * Joins PDF documents into one.
   *
   * @param input - `input_file_ids` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  mergePdf(input: MergePdfInput, options?: Options): Promise<Task> {
    return this.create("merge_pdf", input, options);
  }

  /**
   * Takes pages out of a PDF document.
   *
   * @param input - `input_file_id`, `page_range` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  splitPdf(input: SplitPdfInput, options?: Options): Promise<Task> {
    return this.create("split_pdf", input, options);
  }

  /**
   * Makes a sound louder or quieter.
   *
   * @param input - `input_file_id`, `volume` and optional fields.
   * @param options - `idempotencyKey`, `signal`, and `timeout` in milliseconds.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent;
   * `invalid_model`, `paid_plan_required`, `insufficient_credits`, `provider_error`,
   * `provider_timeout`, `unauthenticated`, `rate_limit`, `server_error`; a code of the client, such
   * as `network`. Its `outcome` says if the create may have cost credits.
   */
  adjustAudioVolume(
    input: AdjustAudioVolumeInput,
    options?: Options,
  ): Promise<Task> {
    return this.create("adjust_audio_volume", input, options);
  }
}

/** The medium that a step produces. */
export type StepKind = "image" | "video" | "audio" | "pdf";

declare const produces: unique symbol;

/**
 * An output of a step, instead of an id in the input of another step. It is the first output that
 * fits the field, unless `output` made it.
 *
 * @typeParam Kind - The medium, so that the compiler refuses a picture in a field for a video.
 */
export interface StepReference<Kind extends StepKind = StepKind> {
  /** The name of the step. */
  readonly step: string;
  /** Only for the compiler; no object has it. */
  readonly [produces]?: Kind | undefined;
}

/**
 * A step of a pipeline that is being built.
 *
 * @typeParam Kind - The medium that the step produces.
 */
export interface Step<Kind extends StepKind = StepKind>
  extends StepReference<Kind> {
  /**
   * Refers to another output than the first that fits.
   *
   * @param position - The position in the outputs of the step's task, from 0.
   * @returns The output, for the input of another step.
   */
  output(position: number): StepReference<Kind>;
}

/** A value of a field, or a step instead of each id. */
export type OrStep<
  Value,
  Kind extends StepKind,
> = Value extends readonly (infer Item)[]
  ? readonly (Item | StepReference<Kind>)[]
  : Value | StepReference<Kind>;

/** The input of a step: the request of its capability, in which a step may replace an id. */
export type StepInput<Name extends CapabilityName> = {
  [Field in keyof Capabilities[Name]]: Field extends keyof StepFields[Name]
    ? StepFields[Name][Field] extends StepKind
      ? OrStep<Capabilities[Name][Field], StepFields[Name][Field]>
      : never
    : Capabilities[Name][Field];
};

/** The fields of each capability that take steps, and the medium of these. */
export interface StepFields {
  text_to_image: object;
  text_to_image_turbo: object;
  text_driven: { avatar_asset_id: StepKind; voice_asset_id: StepKind };
  audio_driven: { avatar_asset_id: StepKind; audio_file_id: "audio" };
  omni_reference_to_video: {
    image_file_ids: "image";
    video_file_ids: "video";
    audio_file_ids: "audio";
  };
  image_to_video: { file_id: "image" };
  image_audio_driven: {
    prompt_image_file_id: "image";
    prompt_audio_file_id: "audio";
  };
  mv_director: { prompt_image_file_id: "image"; prompt_audio_file_id: "audio" };
  text_to_video: object;
  split_video: { input_file_id: "video" };
  object_removal_by_prompt: { input_file_id: "video" };
  subtitle_removal: { file_id: "video" };
  resize_video: { input_file_id: "video" };
  add_audio_to_video: { video_file_id: "video"; audio_file_id: "audio" };
  video_logo_removal: { input_video_file_id: "video"; logo_file_id: "image" };
  background_removal: { file_id: "image" };
  head_swap: {
    source_image_file_id: "image";
    target_head_image_file_id: "image";
  };
  merge_pdf: { input_file_ids: "pdf" };
  split_pdf: { input_file_id: "pdf" };
  adjust_audio_volume: { input_file_id: "audio" };
}

/**
 * Builds the steps of a pipeline: a method for each capability, which calls
 * {@link StepMethods.add}. Each returns its step, for the inputs of others.
 *
 * @typeParam Options - The options that each method takes beside the input.
 */
export abstract class StepMethods<Options> {
  /**
   * Adds a step to the pipeline.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - The fields of the request.
   * @param options - The options of the step.
   * @returns The step.
   * @throws {MediagateError} `invalid_argument` for the name of another step.
   */
  protected abstract add<Name extends CapabilityName, Kind extends StepKind>(
    name: Name,
    input: StepInput<Name>,
    options: Options | undefined,
  ): Step<Kind>;

  /**
   * Draws a picture from a text prompt.
   *
   * @param input - `prompt` and optional fields.
   */
  textToImage(
    input: StepInput<"text_to_image">,
    options?: Options,
  ): Step<"image"> {
    return this.add("text_to_image", input, options);
  }

  /**
   * Draws a picture from a text prompt, faster and with fewer settings.
   *
   * @param input - `prompt` and optional fields.
   */
  textToImageTurbo(
    input: StepInput<"text_to_image_turbo">,
    options?: Options,
  ): Step<"image"> {
    return this.add("text_to_image_turbo", input, options);
  }

  /**
   * Makes a video of an avatar that speaks a script with a chosen voice.
   *
   * @param input - `avatar_asset_id`, `voice_asset_id`, `text` and optional fields.
   */
  textDriven(
    input: StepInput<"text_driven">,
    options?: Options,
  ): Step<"video"> {
    return this.add("text_driven", input, options);
  }

  /**
   * Makes a lip-synced video of an avatar from uploaded audio.
   *
   * @param input - `avatar_asset_id`, `audio_file_id` and optional fields.
   */
  audioDriven(
    input: StepInput<"audio_driven">,
    options?: Options,
  ): Step<"video"> {
    return this.add("audio_driven", input, options);
  }

  /**
   * Makes a video from a prompt and reference images, videos or audio, at least one of them.
   *
   * @param input - `prompt` and optional fields.
   */
  omniReferenceToVideo(
    input: StepInput<"omni_reference_to_video">,
    options?: Options,
  ): Step<"video"> {
    return this.add("omni_reference_to_video", input, options);
  }

  /**
   * Makes a video from a picture and a motion prompt. The default model needs the Starter plan and
   * is billed per second of video.
   *
   * @param input - `file_id`, `prompt` and optional fields.
   */
  imageToVideo(
    input: StepInput<"image_to_video">,
    options?: Options,
  ): Step<"video"> {
    return this.add("image_to_video", input, options);
  }

  /**
   * Makes a person in a picture speak an uploaded sound.
   *
   * @param input - `prompt_text`, `prompt_image_file_id`, `prompt_audio_file_id` and optional
   * fields.
   */
  imageAudioDriven(
    input: StepInput<"image_audio_driven">,
    options?: Options,
  ): Step<"video"> {
    return this.add("image_audio_driven", input, options);
  }

  /**
   * Directs a music video from one track and one portrait.
   *
   * @param input - `prompt_image_file_id`, `prompt_audio_file_id` and optional fields.
   */
  mvDirector(
    input: StepInput<"mv_director">,
    options?: Options,
  ): Step<"video"> {
    return this.add("mv_director", input, options);
  }

  /**
   * Makes a video from a text prompt.
   *
   * An extension: the document of the media service does not have it, and a gateway offers it only
   * if its setting CAPABILITIES names it.
   *
   * @param input - `prompt` and optional fields.
   */
  textToVideo(
    input: StepInput<"text_to_video">,
    options?: Options,
  ): Step<"video"> {
    return this.add("text_to_video", input, options);
  }

  /**
   * Cuts parts out of a video.
   *
   * @param input - `input_file_id`, `segments` and optional fields.
   */
  splitVideo(
    input: StepInput<"split_video">,
    options?: Options,
  ): Step<"video"> {
    return this.add("split_video", input, options);
  }

  /**
   * Removes an object, named in words, from a video.
   *
   * @param input - `input_file_id`, `prompt_text` and optional fields.
   */
  objectRemovalByPrompt(
    input: StepInput<"object_removal_by_prompt">,
    options?: Options,
  ): Step<"video"> {
    return this.add("object_removal_by_prompt", input, options);
  }

  /**
   * Removes burnt-in subtitles from a video.
   *
   * @param input - `file_id` and optional fields.
   */
  subtitleRemoval(
    input: StepInput<"subtitle_removal">,
    options?: Options,
  ): Step<"video"> {
    return this.add("subtitle_removal", input, options);
  }

  /**
   * Brings a video to another size.
   *
   * @param input - `input_file_id`, `width`, `height` and optional fields.
   */
  resizeVideo(
    input: StepInput<"resize_video">,
    options?: Options,
  ): Step<"video"> {
    return this.add("resize_video", input, options);
  }

  /**
   * Replaces or adds the sound of a video.
   *
   * @param input - `video_file_id`, `audio_file_id` and optional fields.
   */
  addAudioToVideo(
    input: StepInput<"add_audio_to_video">,
    options?: Options,
  ): Step<"video"> {
    return this.add("add_audio_to_video", input, options);
  }

  /**
   * Removes a logo from a video.
   *
   * @param input - `input_video_file_id` and optional fields.
   */
  videoLogoRemoval(
    input: StepInput<"video_logo_removal">,
    options?: Options,
  ): Step<"video"> {
    return this.add("video_logo_removal", input, options);
  }

  /**
   * Makes the background of a picture transparent.
   *
   * @param input - `file_id` and optional fields.
   */
  backgroundRemoval(
    input: StepInput<"background_removal">,
    options?: Options,
  ): Step<"image"> {
    return this.add("background_removal", input, options);
  }

  /**
   * Puts the head of one picture on the body of another.
   *
   * @param input - `source_image_file_id`, `target_head_image_file_id` and optional fields.
   */
  headSwap(input: StepInput<"head_swap">, options?: Options): Step<"image"> {
    return this.add("head_swap", input, options);
  }

  /**
   * Joins PDF documents into one.
   *
   * @param input - `input_file_ids` and optional fields.
   */
  mergePdf(input: StepInput<"merge_pdf">, options?: Options): Step<"pdf"> {
    return this.add("merge_pdf", input, options);
  }

  /**
   * Takes pages out of a PDF document.
   *
   * @param input - `input_file_id`, `page_range` and optional fields.
   */
  splitPdf(input: StepInput<"split_pdf">, options?: Options): Step<"pdf"> {
    return this.add("split_pdf", input, options);
  }

  /**
   * Makes a sound louder or quieter.
   *
   * @param input - `input_file_id`, `volume` and optional fields.
   */
  adjustAudioVolume(
    input: StepInput<"adjust_audio_volume">,
    options?: Options,
  ): Step<"audio"> {
    return this.add("adjust_audio_volume", input, options);
  }
}

/**
 * A reason of the gateway for a refusal: for an error of the media service, the name of its code.
 */
export type RefusalReason =
  | "agent_token"
  | "answer_too_large"
  | "asset_category_mismatch"
  | "asset_expired"
  | "asset_locked"
  | "body_too_large"
  | "broken_body"
  | "budget"
  | "busy"
  | "capability"
  | "content_refused"
  | "contradictory"
  | "deadline"
  | "early_token"
  | "expired_token"
  | "file_not_uploaded"
  | "file_too_large"
  | "idempotency_key"
  | "idempotency_key_reused"
  | "input_firewall"
  | "input_host_not_allowed"
  | "input_needs_login"
  | "input_unavailable"
  | "input_unreachable"
  | "insufficient_credits"
  | "interrupted"
  | "invalid_assets"
  | "invalid_budget"
  | "invalid_claims"
  | "invalid_fields"
  | "invalid_id"
  | "invalid_input"
  | "invalid_model"
  | "invalid_parameter"
  | "invalid_subject"
  | "invalid_ticket"
  | "invalid_token"
  | "keys_unavailable"
  | "ledger"
  | "long_token"
  | "malformed_json"
  | "media_type"
  | "misconfigured"
  | "no_data"
  | "no_file_id"
  | "no_key"
  | "no_pipeline"
  | "no_randomness"
  | "no_session"
  | "no_stream"
  | "no_task"
  | "no_token"
  | "no_upload_url"
  | "no_uploads"
  | "not_acceptable"
  | "not_an_envelope"
  | "not_json"
  | "not_offered"
  | "not_resumable"
  | "origin_not_allowed"
  | "outcome_unknown"
  | "output_host_not_allowed"
  | "output_unavailable"
  | "output_without_length"
  | "output_without_url"
  | "outputs_not_moved"
  | "paid_plan_required"
  | "pipeline"
  | "pipeline_not_begun"
  | "pipeline_running"
  | "pipeline_too_old"
  | "provider_error"
  | "provider_timeout"
  | "range_not_satisfiable"
  | "rate_limit"
  | "redirect"
  | "relay"
  | "revoked_token"
  | "scope"
  | "server_error"
  | "slow_body"
  | "storage_refused"
  | "storage_unreachable"
  | "task_running"
  | "task_unfinished"
  | "transfer"
  | "transfer_interrupted"
  | "transfer_stalled"
  | "turnstile"
  | "unauthenticated"
  | "unexpected_success"
  | "unknown"
  | "unknown_capability"
  | "unknown_method"
  | "unknown_output"
  | "unknown_path"
  | "unknown_pipeline"
  | "unknown_task"
  | "unreachable"
  | "unusable_id"
  | "upload_host_not_allowed"
  | "upload_too_long"
  | "upload_url_expired"
  | "upstream_credentials"
  | "upstream_firewall"
  | "upstream_unavailable"
  | "voice_asset_required"
  | "watcher"
  | "wrong_audience"
  | "wrong_issuer"
  | "wrong_size"
  | "wrong_type"
  | (string & {});

/**
 * The reason why a part of a request is not valid.
 *
 * | Reason | Meaning | What to do |
 * | --- | --- | --- |
 * | `missing` | A required field is absent, or none of several fields is present. | Have the user enter it. |
 * | `empty` | A string, a list or a file is empty. | Have the user enter a value. |
 * | `unknown_field` | The capability has no such field. As a warning: the name is near that of one. | Correct its name; `message` may suggest one. |
 * | `wrong_type` | The value, or the file, is of another type. | Pass the type that `message` names. |
 * | `out_of_range` | A number has a fraction, or is too small or too large; or there are too many of something. | Have the user enter a value within the bounds. |
 * | `malformed` | A string is not in the expected format, such as `HH:MM:SS`. | Have the user enter the format that `message` names. |
 * | `order` | The end of a segment is before its start, or (as a warning) the same. | Have the user correct one of the two. |
 * | `not_offered` | The model does not take this value. | Offer those that `message` lists. |
 * | `reference_media` | The model does not take references of this kind. | Choose another model, or leave them out. |
 * | `asset_category` | The asset is no avatar, or no voice, where one is needed. | Choose another asset. |
 * | `unknown_id` | This user has no such file or asset. | Upload the file again, or choose another asset. |
 * | `unknown_step` | A pipeline has no step of this name. | Correct the reference. |
 * | `cycle` | The steps of a pipeline wait for each other. | Remove one of the references. |
 * | `unknown_capability` | There is no capability of this name. | Correct its name. |
 * | any other | A reason of a newer gateway. | Show `message`. |
 */
export type IssueReason =
  | "missing"
  | "empty"
  | "unknown_field"
  | "wrong_type"
  | "out_of_range"
  | "malformed"
  | "order"
  | "not_offered"
  | "reference_media"
  | "asset_category"
  | "unknown_id"
  | "unknown_step"
  | "cycle"
  | "unknown_capability"
  | (string & {});
