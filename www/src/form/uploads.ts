/** Uploads of files, and their progress. */
import { computed, effect, type Signal, signal } from "@preact/signals";
import type { Media, UploadProgress } from "mediagate";
import { chunk } from "../parts/chunk";
import { replaceChosen } from "../results/reference";
import type { Values } from "../storage";

const shares = new WeakMap<Blob, Signal<number | undefined>>();

/** Returns the uploaded share of a file, from 0 to 1; `undefined` unless this page uploads it. */
export function shareOf(file: Blob): Signal<number | undefined> {
  const shown = originals.get(file) ?? file;
  const found = shares.get(shown) ?? signal<number | undefined>(undefined);
  shares.set(shown, found);
  return found;
}

const sending = signal(0);
const isSending = computed(() => sending.value > 0);

// Asks before the page is left, which would lose the uploads under way.
effect(() => {
  if (!isSending.value) return undefined;
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", warn);
  return () => removeEventListener("beforeunload", warn);
});

/** Does work that uploads files, and shows the progress that it reports. */
export async function uploading<Result>(
  work: (onProgress: (progress: UploadProgress) => void) => Promise<Result>,
): Promise<Result> {
  const open = new Set<Blob>();
  const show = (file: Blob, share: number) => {
    shareOf(file).value = share;
    const before = open.size;
    if (share < 1) open.add(file);
    else open.delete(file);
    sending.value += Math.sign(open.size) - Math.sign(before);
  };
  try {
    return await work(({ files = [] }) => {
      for (const { file, loaded, total } of files)
        show(file, loaded / Math.max(total, 1));
    });
  } finally {
    // What was not uploaded has failed.
    for (const file of open) shareOf(file).value = undefined;
    if (open.size > 0) sending.value -= 1;
  }
}

/** Uploads the files in values, and returns the values with their ids. */
export function uploadAll(
  media: Media,
  values: Values,
  signal: AbortSignal,
): Promise<Values> {
  return replaceChosen(values, async (chosen) => {
    if (!(chosen instanceof File)) return chosen;
    const file = await uprightOf(chosen);
    return uploading((onProgress) =>
      media.upload(file, {
        signal,
        onProgress: (progress) =>
          onProgress({ ...progress, files: [{ file, ...progress }] }),
      }),
    );
  });
}

/** Returns values with each photo as its EXIF turns it. */
export function upright(values: Values): Promise<Values> {
  return replaceChosen(values, (chosen) =>
    chosen instanceof File ? uprightOf(chosen) : chosen,
  );
}

/** The photos, by their turned copies. */
const originals = new WeakMap<Blob, File>();

async function uprightOf(file: File): Promise<File> {
  const preview = await chunk(() => import("mediagate/preview")).catch(
    () => undefined,
  );
  // Without this part of the script, the media service may still turn the photo.
  const copy = (await preview?.uprightOf(file)) ?? file;
  if (copy !== file) originals.set(copy, file);
  return copy;
}
