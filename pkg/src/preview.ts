/**
 * `mediagate/preview` shows outputs and files in a page: their sizes, durations and pictures, and
 * outputs as files.
 *
 * @module preview
 */

import { aborted, invalidArgument, MediagateError } from "./error.js";
import { checkOptions } from "./options.js";
import { notAFile } from "./output.js";
import type { CallOptions } from "./types/calls.js";
import type { LoadOptions } from "./types/load.js";
import type { Output } from "./types/task.js";
import { within } from "./waiting.js";

export { downloadOutput, fileOf } from "./preview/files.js";
export { uprightOf } from "./preview/upright.js";

export interface OutputInfo {
  /** The width of an image or a video in pixels. */
  readonly width?: number | undefined;
  /** The height of an image or a video in pixels. */
  readonly height?: number | undefined;
  /** The duration of a video or a sound in seconds. */
  readonly duration?: number | undefined;
}

export interface ThumbnailOptions extends LoadOptions {
  /**
   * The longest side of the picture in pixels. A smaller image keeps its size.
   *
   * @defaultValue 320
   */
  size?: number | undefined;
  /**
   * The time in a video from which the picture is, in seconds.
   *
   * @defaultValue 0
   */
  at?: number | undefined;
}

type Previewed = Pick<Output, "url" | "kind">;

/**
 * Reads the size and the duration of an output. A browser loads only the beginning of a video or a
 * sound for that.
 *
 * @returns The properties; of a PDF there are none.
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
    const { naturalWidth: width, naturalHeight: height } = await imageOf(
      url,
      limits,
    );
    return { width, height };
  }
  return usingMedia(url, limits, async (media) => {
    const { videoWidth, videoHeight, duration } = media;
    return {
      ...(videoWidth > 0 && { width: videoWidth, height: videoHeight }),
      ...(Number.isFinite(duration) && { duration }),
    };
  });
}

/**
 * Makes a small picture of an image or a video. Its host must allow the page's origin (CORS), as a
 * gateway with a bucket for results does.
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
    const image = await imageOf(url, limits);
    return drawn(image, image.naturalWidth, image.naturalHeight, size);
  }
  return usingMedia(url, limits, async (media) => {
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

async function imageOf(
  url: string,
  limits: CallOptions,
): Promise<HTMLImageElement> {
  const image = new Image();
  image.crossOrigin = "anonymous";
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
  use: (media: HTMLVideoElement) => Promise<Result>,
  crossOrigin: "anonymous" | null = "anonymous",
): Promise<Result> {
  // A video element also plays sounds.
  const media = document.createElement("video");
  media.crossOrigin = crossOrigin;
  media.preload = "auto";
  media.muted = true;
  try {
    const loaded = eventOf(media, "loadeddata");
    media.src = url;
    await within(limits, loaded);
    if (limits.signal?.aborted) throw aborted(limits.signal);
    return await use(media);
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
      "the host of the output has to allow the page's origin (CORS), and the browser to play the " +
      "format; the URL may have expired",
    cause,
  });
}

/**
 * Draws frames of a video side by side on a canvas, such as above a timeline. Each is the middle of
 * its part of the video, and fills its part of the canvas, cropped like `object-fit: cover`.
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
  await usingMedia(
    urlOf(video),
    limits,
    async (media) => {
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
    },
    null,
  );
}
