/** Uploads of files, and their progress. */
import { computed, effect, type Signal, signal } from "@preact/signals";
import type { UploadProgress } from "mediagate";
import { chunk } from "../parts/chunk";
import { replaceChosen } from "../results/reference";
import type { Values } from "../storage";

/** The progress of a file: the share that has left the page, from 0 to 1, until it was received. */
type Upload = number | "received" | undefined;

const uploads = new WeakMap<Blob, Signal<Upload>>();

/** Returns the progress of a file; `undefined` unless this page uploads it. */
export function uploadOf(file: Blob): Signal<Upload> {
  const shown = originals.get(file) ?? file;
  const found = uploads.get(shown) ?? signal<Upload>(undefined);
  uploads.set(shown, found);
  return found;
}

export function shareOf(upload: Upload): number {
  return upload === "received" ? 1 : (upload ?? 0);
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

interface Listeners {
  onProgress(progress: UploadProgress): void;
  /** Called when all files were received. */
  onReceived(): void;
}

/** Does work that uploads files, and shows their progress. */
export async function uploading<Result>(
  work: (listeners: Listeners) => Promise<Result>,
): Promise<Result> {
  const open = new Set<Blob>();
  const end = (upload: Upload) => {
    if (open.size > 0) sending.value -= 1;
    for (const file of open) uploadOf(file).value = upload;
    open.clear();
  };
  const onReceived = () => end("received");
  const onProgress = ({ files = [] }: UploadProgress) => {
    const sent = files.filter(
      ({ file }) => uploadOf(file).value !== "received",
    );
    if (open.size === 0 && sent.length > 0) sending.value += 1;
    for (const { file, loaded, total } of sent) {
      open.add(file);
      uploadOf(file).value = loaded / Math.max(total, 1);
    }
  };
  try {
    const result = await work({ onProgress, onReceived });
    onReceived();
    return result;
  } finally {
    // The uploads that are still open have failed.
    end(undefined);
  }
}

/** Returns values with each photo as its EXIF turns it. */
export function upright(values: Values): Promise<Values> {
  return replaceChosen(values, (chosen) =>
    chosen instanceof File ? uprightOf(chosen) : chosen,
  );
}

/** The photos, by their turned copies. */
const originals = new WeakMap<Blob, File>();

/** Links the turned photos of a stored input to the photos of a form, which show the progress. */
export function linkPhotos(input: Values, values: Values): void {
  for (const [name, value] of Object.entries(values)) {
    const copies = [input[name]].flat();
    [value].flat().forEach((file, index) => {
      const copy = copies[index];
      if (file instanceof File && copy instanceof Blob && copy !== file)
        originals.set(copy, file);
    });
  }
}

async function uprightOf(file: File): Promise<File> {
  const preview = await chunk(() => import("mediagate/preview")).catch(
    () => undefined,
  );
  // Without this part of the script, the media service may still turn the photo.
  const copy = (await preview?.uprightOf(file)) ?? file;
  if (copy !== file) originals.set(copy, file);
  return copy;
}
