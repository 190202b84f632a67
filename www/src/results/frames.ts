/** Small pictures of the first frames of videos. A video element takes megabytes for each. */
import { chunk } from "../parts/chunk";

/** The most pictures in memory, of about 10 kB each. The oldest go first. */
const MAX_PICTURES = 200;

const pictures = new Map<string, Blob>();

export function knownFrame(url: string): Blob | undefined {
  return pictures.get(url);
}

/** The end of the last load. Videos load one after another: each takes a decoder's memory. */
let last: Promise<unknown> = Promise.resolve();

/** Loads a picture of a video. Rejects if the host does not let the page read the video. */
export function loadFrame(
  url: string,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  const loading = last.then(() => {
    signal.throwIfAborted();
    return knownFrame(url) ?? load(url, signal);
  });
  last = loading.catch(() => undefined);
  return loading;
}

async function load(
  url: string,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  const { thumbnailOf } = await chunk(() => import("mediagate/preview"));
  const picture = await thumbnailOf({ url, kind: "video" }, { signal });
  if (!picture) return undefined;
  pictures.set(url, picture);
  const [oldest] = pictures.keys();
  if (pictures.size > MAX_PICTURES && oldest) pictures.delete(oldest);
  return picture;
}
