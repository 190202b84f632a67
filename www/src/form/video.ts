/** The length, the size and the frames of a video, read with a hidden player. */
import type { Chosen } from "../results/reference";
import { urlOf } from "../results/urls";
import type { Size } from "./checks/size";

interface VideoInfo extends Size {
  /** The length in seconds. */
  duration: number;
}

async function player(source: Chosen): Promise<HTMLVideoElement> {
  const video = document.createElement("video");
  video.muted = true;
  video.preload = "auto";
  video.src =
    source instanceof File
      ? URL.createObjectURL(source)
      : (urlOf(source) ?? "");
  await next(video, "loadedmetadata");
  return video;
}

function close(video: HTMLVideoElement): void {
  URL.revokeObjectURL(video.src);
  video.removeAttribute("src");
}

function next(
  video: HTMLVideoElement,
  event: "loadedmetadata" | "seeked",
): Promise<void> {
  return new Promise((resolve, reject) => {
    video.addEventListener(event, () => resolve(), { once: true });
    video.addEventListener(
      "error",
      () => reject(new Error("the browser cannot play this video")),
      { once: true },
    );
  });
}

const infos = new WeakMap<Chosen, Promise<VideoInfo | undefined>>();

/** Reads the facts of a video once; `undefined` if the browser cannot play it. */
export function videoInfo(source: Chosen): Promise<VideoInfo | undefined> {
  const info = infos.get(source) ?? readInfo(source);
  infos.set(source, info);
  return info;
}

async function readInfo(source: Chosen): Promise<VideoInfo | undefined> {
  const video = await player(source).catch(() => undefined);
  if (!video) return undefined;
  const { duration, videoWidth: width, videoHeight: height } = video;
  close(video);
  // Without a decoder for the video, WebKit reports a length of 0, and then an error.
  return Number.isFinite(duration) && duration > 0
    ? { duration, width, height }
    : undefined;
}

export async function drawFrames(
  source: Chosen,
  canvas: HTMLCanvasElement,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  const video = await player(source);
  const context = canvas.getContext("2d");
  const width = canvas.width / count;
  // Each frame fills its part of the canvas and is cropped, like CSS `object-fit: cover`.
  const scale = Math.max(
    width / video.videoWidth,
    canvas.height / video.videoHeight,
  );
  const sourceWidth = width / scale;
  const sourceHeight = canvas.height / scale;
  const left = (video.videoWidth - sourceWidth) / 2;
  const top = (video.videoHeight - sourceHeight) / 2;
  for (let index = 0; index < count && !signal.aborted; index += 1) {
    // The middle of each part, since the first frame of many videos is black.
    video.currentTime = (video.duration * (index + 0.5)) / count;
    await next(video, "seeked");
    context?.drawImage(
      video,
      left,
      top,
      sourceWidth,
      sourceHeight,
      index * width,
      0,
      width,
      canvas.height,
    );
  }
  close(video);
}
