/** Files on their way: each is uploaded once, when a request needs it, and shows how far it is. */
import { signal, type Signal } from "@preact/signals";
import type { Media } from "mediagate";
import type { Values } from "./model";

/** How far one file is. */
export type Upload = { phase: "waiting" } | { phase: "sending"; share: number } | { phase: "sent"; fileId: string };

const uploads = new WeakMap<Blob, Signal<Upload>>();

export function uploadOf(blob: Blob): Signal<Upload> {
  const found = uploads.get(blob) ?? signal<Upload>({ phase: "waiting" });
  uploads.set(blob, found);
  return found;
}

/** Uploads it again next time: its id was refused. */
export function forget(blob: Blob): void {
  uploadOf(blob).value = { phase: "waiting" };
}

export function blobsIn(values: Values): Blob[] {
  return Object.values(values)
    .flat()
    .filter((it) => it instanceof Blob);
}

/** The same request with every file replaced by its id. */
export async function uploadAll(media: Media, input: Values, signal: AbortSignal): Promise<Values> {
  const replaced = Object.entries(input).map(async ([name, value]) => [name, await replace(media, value, signal)]);
  return Object.fromEntries(await Promise.all(replaced));
}

async function replace(media: Media, value: unknown, signal: AbortSignal): Promise<unknown> {
  if (value instanceof Blob) return upload(media, value, signal);
  if (!Array.isArray(value)) return value;
  return Promise.all(value.map((it) => replace(media, it, signal)));
}

async function upload(media: Media, blob: Blob, signal: AbortSignal): Promise<string> {
  const state = uploadOf(blob);
  if (state.value.phase === "sent") return state.value.fileId;
  state.value = { phase: "sending", share: 0 };
  try {
    const onProgress = ({ loaded, total }: { loaded: number; total: number }) => {
      state.value = { phase: "sending", share: total > 0 ? loaded / total : 0 };
    };
    const fileId = await media.upload(blob, { signal, onProgress });
    state.value = { phase: "sent", fileId };
    return fileId;
  } catch (failure) {
    state.value = { phase: "waiting" };
    throw failure;
  }
}
