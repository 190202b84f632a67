import { computed, effect, type Signal, signal } from "@preact/signals";
import type { Media } from "mediagate";
import { chunk } from "../parts/chunk";
import { replaceChosen } from "../results/reference";
import type { Values } from "../storage";

/** The progress of a file. `share` is from 0 to 1. */
type Upload =
  | { phase: "waiting" }
  | { phase: "sending"; share: number }
  | { phase: "sent" };

const uploads = new WeakMap<Blob, Signal<Upload>>();

export function uploadOf(blob: Blob): Signal<Upload> {
  const found = uploads.get(blob) ?? signal<Upload>({ phase: "waiting" });
  uploads.set(blob, found);
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

export function uploadAll(
  media: Media,
  values: Values,
  abort: AbortSignal,
): Promise<Values> {
  return replaceChosen(values, (chosen) =>
    chosen instanceof File ? upload(media, chosen, abort) : chosen,
  );
}

async function upload(
  media: Media,
  file: File,
  abort: AbortSignal,
): Promise<string> {
  const status = uploadOf(file);
  const onProgress = ({ loaded, total }: { loaded: number; total: number }) => {
    status.value = { phase: "sending", share: total > 0 ? loaded / total : 0 };
  };
  sending.value += 1;
  try {
    const upright = await uprightOf(file);
    const fileId = await media.upload(upright, { signal: abort, onProgress });
    status.value = { phase: "sent" };
    return fileId;
  } catch (failure) {
    status.value = { phase: "waiting" };
    throw failure;
  } finally {
    sending.value -= 1;
  }
}

async function uprightOf(file: File): Promise<File> {
  const preview = await chunk(() => import("mediagate/preview")).catch(
    () => undefined,
  );
  // Without this part of the script, the media service may still turn the photo.
  return preview ? preview.uprightOf(file) : file;
}
