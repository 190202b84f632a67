/** The length and the size of a video, read with a hidden player. */
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
  await loaded(video);
  return video;
}

function close(video: HTMLVideoElement): void {
  URL.revokeObjectURL(video.src);
  video.removeAttribute("src");
}

function loaded(video: HTMLVideoElement): Promise<void> {
  return new Promise((resolve, reject) => {
    video.addEventListener("loadedmetadata", () => resolve(), { once: true });
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
