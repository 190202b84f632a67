/** The peaks of a sound, for a picture of it. */

/** The most bytes of a sound that is decoded: 20 minutes of an MP3. */
const MAX_BYTES = 20_000_000;

/** The rate in Hz to which a sound is decoded, the lowest that every browser has. */
const RATE = 8_000;

/**
 * Returns the peak of each of `count` parts, relative to the loudest; `undefined` for a sound that
 * is too long, or that the page may not read.
 */
export async function peaksOf(
  source: Blob | string,
  count: number,
): Promise<number[] | undefined> {
  try {
    const bytes = await bytesOf(source);
    if (!bytes) return undefined;
    const context = new OfflineAudioContext(1, 1, RATE);
    const sound = await context.decodeAudioData(bytes);
    return relativePeaks(sound.getChannelData(0), count);
  } catch {
    // The player shows an error of the sound itself.
    return undefined;
  }
}

async function bytesOf(
  source: Blob | string,
): Promise<ArrayBuffer | undefined> {
  if (source instanceof Blob)
    return source.size > MAX_BYTES ? undefined : source.arrayBuffer();
  const controller = new AbortController();
  const { signal } = controller;
  const response = await fetch(source, {
    referrerPolicy: "no-referrer",
    signal,
  });
  const length = response.headers.get("content-length");
  if (response.ok && length && Number(length) <= MAX_BYTES)
    return response.arrayBuffer();
  controller.abort();
  return undefined;
}

function relativePeaks(samples: Float32Array, count: number): number[] {
  const peaks = Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * samples.length) / count);
    const to = Math.floor(((index + 1) * samples.length) / count);
    return samples
      .subarray(from, to)
      .reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  });
  const loudest = Math.max(...peaks);
  return loudest > 0 ? peaks.map((peak) => peak / loudest) : peaks;
}
