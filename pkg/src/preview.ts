/**
 * `mediagate/preview` shows outputs and files in a page: their sizes, durations and pictures, and
 * outputs as files.
 *
 * @module preview
 */

import {
  aborted,
  invalidArgument,
  isMediagateError,
  MediagateError,
} from "./error.js";
import { checkOptions } from "./options.js";
import { notAFile } from "./output.js";
import { isCut } from "./preview/cut.js";
import type { CallOptions } from "./types/calls.js";
import type { FileFacts } from "./types/facts.js";
import type { LoadOptions } from "./types/load.js";
import type { Output, OutputKind } from "./types/task.js";
import { within } from "./waiting.js";

export { downloadOutput, fileOf } from "./preview/files.js";
export { uprightOf } from "./preview/upright.js";
export type { FileFacts } from "./types/facts.js";

/** The properties of an output, as far as the browser can read them. */
export interface OutputInfo {
  /** The width of an image or a video in pixels. */
  readonly width?: number | undefined;
  /** The height of an image or a video in pixels. */
  readonly height?: number | undefined;
  /** The duration of a video or a sound in seconds. */
  readonly duration?: number | undefined;
}

/** The options of {@link inspectFile}. */
export interface InspectOptions extends LoadOptions {
  /**
   * The kind of the file, since a browser leaves the type of some files empty.
   *
   * @defaultValue the kind of the file's type
   */
  kind?: OutputKind | undefined;
}

/** The options of {@link thumbnailOf}. */
export interface ThumbnailOptions extends LoadOptions {
  /**
   * The longest side of the picture in pixels. A smaller image keeps its size.
   *
   * @defaultValue 320
   */
  size?: number | undefined;
  /**
   * The time of the frame in a video, in seconds.
   *
   * @defaultValue 0
   */
  at?: number | undefined;
}

type Previewed = Pick<Output, "url" | "kind">;

/** The use of a loaded file: its size and duration, frames to show, or pixels to read. */
type Use = "facts" | "frames" | "pixels";

/** The most pixels of an image that is decoded as a whole, which takes four bytes for each. */
const MAX_CHECKED_PIXELS = 25_000_000;

/** The formats of images that every browser shows. */
const SHOWN_IMAGES = ["image/png", "image/jpeg", "image/webp"];

/**
 * Reads the size and the duration of an output. A browser loads only the beginning of a video or a
 * sound for that.
 *
 * @returns The properties; none for a PDF.
 * @throws {MediagateError} `network` if the browser can't load or show the file; `invalid_argument`
 * outside a page, and for an output that is an asset; `aborted`; `timeout`.
 */
export async function inspectOutput(
  output: Previewed,
  options?: LoadOptions,
): Promise<OutputInfo> {
  const limits = checkOptions(options, "load");
  const url = urlOf(output);
  if (output.kind === "pdf") return {};
  if (output.kind === "image") {
    const image = await imageOf(url, limits, "facts");
    return sizeOf(image.naturalWidth, image.naturalHeight);
  }
  return usingMedia(url, limits, "facts", async (media) => {
    const { videoWidth, videoHeight, duration } = media;
    return {
      ...sizeOf(videoWidth, videoHeight),
      // Without a decoder for the video, WebKit reports a duration of 0.
      ...(duration > 0 && Number.isFinite(duration) && { duration }),
    };
  });
}

/**
 * Reads the facts of a file, such as for `checkFiles` of `mediagate/forms`. It reads no PDF: count
 * the pages with a reader such as PDF.js.
 *
 * @returns The facts that the browser can read. `problem` is `cut` if the file's end is missing,
 * `damaged` if the browser cannot show an image whose format it knows, and `not_shown` if it shows
 * neither the file nor, for a sound in a video, its picture.
 * @throws {MediagateError} `invalid_argument` outside a page; `aborted`; `timeout`.
 */
export async function inspectFile(
  file: Blob,
  { kind = kindOf(file), ...options }: InspectOptions = {},
): Promise<FileFacts> {
  if (kind === undefined || file.size === 0) return {};
  // A file that was changed or deleted meanwhile cannot be read.
  const cut = (await isCut(file).catch(() => false)) ? "cut" : undefined;
  const url = URL.createObjectURL(file);
  try {
    const info = await inspectOutput({ url, kind }, options);
    const problem = cut ?? (await problemOf(file, kind, info));
    return { ...info, ...(problem && { problem }) };
  } catch (error) {
    if (!isMediagateError(error) || error.code !== "network") throw error;
    const isKnown = kind === "image" && SHOWN_IMAGES.includes(file.type);
    return { problem: cut ?? (isKnown ? "damaged" : "not_shown") };
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Returns the problem of a file whose size or duration the browser can read. */
async function problemOf(
  file: Blob,
  kind: OutputKind,
  { width = 0, height = 0 }: OutputInfo,
): Promise<FileFacts["problem"]> {
  // Without a decoder for the picture, a browser plays only the sound.
  if (kind === "video") return width > 0 ? undefined : "not_shown";
  const isChecked =
    SHOWN_IMAGES.includes(file.type) && width * height <= MAX_CHECKED_PIXELS;
  if (kind !== "image" || !isChecked) return undefined;
  // An image element also shows the beginning of a file.
  return createImageBitmap(file).then(
    (bitmap) => {
      bitmap.close();
      return undefined;
    },
    () => "cut" as const,
  );
}

/**
 * Makes a small picture of an image or a video. The host of the file must allow the page's origin
 * (CORS), as a gateway with a bucket for results does.
 *
 * @param options - `size` in pixels, `at` in seconds, `signal`, and `timeout` in milliseconds.
 * @returns A JPEG; `undefined` for a sound or a PDF.
 * @throws {MediagateError} Those of {@link inspectOutput}.
 */
export async function thumbnailOf(
  output: Previewed,
  options: ThumbnailOptions = {},
): Promise<Blob | undefined> {
  const limits = checkOptions(options, "thumbnail");
  const { size = 320, at = 0 } = options;
  if (!(size >= 1 && at >= 0))
    throw invalidArgument(
      "size or at is not valid",
      "give pixels from 1 on, and seconds from 0 on",
    );
  const url = urlOf(output);
  if (output.kind === "pdf" || output.kind === "audio") return undefined;
  if (output.kind === "image") {
    const image = await imageOf(url, limits, "pixels");
    return drawn(image, image.naturalWidth, image.naturalHeight, size);
  }
  return usingMedia(url, limits, "pixels", async (media) => {
    if (media.videoWidth === 0) return undefined;
    const seeked = eventOf(media, "seeked");
    // A browser may not draw a frame before the first seek.
    media.currentTime = Math.min(at, media.duration || at) || 0.001;
    await within(limits, seeked);
    return drawn(media, media.videoWidth, media.videoHeight, size);
  });
}

function urlOf({ url }: Pick<Output, "url">): string {
  if (typeof document === "undefined")
    throw invalidArgument(
      "a preview needs a page",
      "on a server, use a program such as ffprobe",
    );
  if (url) return url;
  throw notAFile();
}

function kindOf({ type }: Blob): OutputKind | undefined {
  if (type === "application/pdf") return "pdf";
  return (["image", "video", "audio"] as const).find((kind) =>
    type.startsWith(`${kind}/`),
  );
}

function sizeOf(width: number, height: number): OutputInfo {
  return width > 0 && height > 0 ? { width, height } : {};
}

/** Returns the mode of a request. Only reading pixels needs the permission of the file's host. */
function corsOf(use: Use): "anonymous" | null {
  return use === "pixels" ? "anonymous" : null;
}

async function imageOf(
  url: string,
  limits: CallOptions,
  use: Use,
): Promise<HTMLImageElement> {
  const image = new Image();
  image.crossOrigin = corsOf(use);
  image.src = url;
  try {
    await within(
      limits,
      image.decode().catch((cause) => {
        throw notShown(cause);
      }),
    );
    return image;
  } catch (error) {
    // Ends the request.
    image.src = "";
    throw error;
  }
}

/** Loads the beginning of a video or a sound, and releases it after its use. */
async function usingMedia<Result>(
  url: string,
  limits: CallOptions,
  use: Use,
  action: (media: HTMLVideoElement) => Promise<Result>,
): Promise<Result> {
  // A video element also plays sounds.
  const media = document.createElement("video");
  media.crossOrigin = corsOf(use);
  media.preload = "auto";
  media.muted = true;
  try {
    const event = use === "facts" ? "loadedmetadata" : "loadeddata";
    const loaded = eventOf(media, event);
    media.src = url;
    await within(limits, loaded);
    if (limits.signal?.aborted) throw aborted(limits.signal);
    return await action(media);
  } finally {
    // Ends the request. Without a source, the element reports an error that nobody awaits.
    media.removeAttribute("src");
    media.load();
  }
}

function eventOf(media: HTMLVideoElement, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    media.addEventListener(name, () => resolve(), { once: true });
    media.addEventListener("error", () => reject(notShown(media.error)), {
      once: true,
    });
  });
}

function drawn(
  source: CanvasImageSource,
  width: number,
  height: number,
  size: number,
): Promise<Blob> {
  const scale = Math.min(1, size / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.drawImage(source, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(notShown(undefined))),
      "image/jpeg",
      0.85,
    );
  });
}

function notShown(cause: unknown): MediagateError {
  return new MediagateError({
    code: "network",
    message: "the output could not be loaded or shown",
    hint:
      "the URL may have expired, or the browser does not play the format; for a thumbnail, the " +
      "host of the output has to allow the page's origin (CORS)",
    cause,
  });
}

/**
 * Draws frames of a video side by side on a canvas, such as above a timeline. Each frame is from
 * the middle of its part of the video. It fills its part of the canvas, cropped like
 * `object-fit: cover`.
 *
 * @param video - A video; `{ url }` with an object URL for a file. Its host need not allow the
 * page's origin, so the page can't read the pixels of a video from another origin.
 * @param count - The number of frames.
 * @throws {MediagateError} Those of {@link inspectOutput}.
 */
export async function drawFrames(
  video: Pick<Output, "url">,
  canvas: HTMLCanvasElement,
  count: number,
  options?: LoadOptions,
): Promise<void> {
  const limits = checkOptions(options, "load");
  await usingMedia(urlOf(video), limits, "frames", async (media) => {
    const { videoWidth, videoHeight, duration } = media;
    const width = canvas.width / count;
    const scale = Math.max(width / videoWidth, canvas.height / videoHeight);
    const cropWidth = width / scale;
    const cropHeight = canvas.height / scale;
    const left = (videoWidth - cropWidth) / 2;
    const top = (videoHeight - cropHeight) / 2;
    const context = canvas.getContext("2d");
    for (let index = 0; index < count; index += 1) {
      const seeked = eventOf(media, "seeked");
      // The first frame of many videos is black.
      media.currentTime = (duration * (index + 0.5)) / count;
      await within(limits, seeked);
      context?.drawImage(
        media,
        ...([left, top, cropWidth, cropHeight] as const),
        ...([index * width, 0, width, canvas.height] as const),
      );
    }
  });
}
