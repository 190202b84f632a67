/** The facts of a chosen file, read once. A fact that the browser cannot read stays unknown. */
import { type Signal, signal } from "@preact/signals";
import { chunk } from "../../parts/chunk";
import { videoInfo } from "../video";
import type { Size } from "./size";

export interface Facts {
  pages?: number;
  cover?: Blob | undefined;
  /** The length of a video, in seconds. */
  duration?: number;
  /** The size of a picture or of a video's frame, in pixels. */
  size?: Size;
  /** The reason for a failed read: the file has a password, or is not what its type says. */
  problem?: "locked" | "damaged" | undefined;
}

/** A chosen file, and its medium. Results have no facts, since the page has only their URLs. */
export interface FileSource {
  file: File;
  media: string;
}

const UNKNOWN: Facts = {};

const SHOWN_IMAGES = new Set(["image/png", "image/jpeg", "image/webp"]);

const READERS: Record<string, (file: File) => Promise<Facts | undefined>> = {
  async pdf(file) {
    const pdf = await chunk(() => import("../../pdf/open"));
    try {
      return await pdf.summarise(file);
    } catch (failure) {
      return { problem: pdf.problemOf(failure) };
    }
  },
  async video(file) {
    const info = await videoInfo(file);
    return info && { duration: info.duration, ...sizeFact(info) };
  },
  async image(file) {
    const picture = new Image();
    picture.src = URL.createObjectURL(file);
    try {
      await picture.decode();
    } catch {
      return SHOWN_IMAGES.has(file.type) ? { problem: "damaged" } : UNKNOWN;
    } finally {
      URL.revokeObjectURL(picture.src);
    }
    return sizeFact({
      width: picture.naturalWidth,
      height: picture.naturalHeight,
    });
  },
};

interface Reading {
  facts: Signal<Facts>;
  ended: Promise<void>;
}

const readings = new WeakMap<File, Reading>();

/** Returns the facts of a file; empty until they are read. */
export function factsOf(source: FileSource): Facts {
  return readingOf(source).facts.value;
}

export async function factsRead(sources: readonly FileSource[]): Promise<void> {
  await Promise.all(sources.map((source) => readingOf(source).ended));
}

function readingOf({ file, media }: FileSource): Reading {
  const found = readings.get(file);
  if (found) return found;
  const facts = signal(UNKNOWN);
  const read = READERS[media] ?? (async () => UNKNOWN);
  const ended = read(file).then(
    (known) => {
      facts.value = known ?? UNKNOWN;
    },
    () => undefined,
  );
  readings.set(file, { facts, ended });
  return { facts, ended };
}

function sizeFact({ width, height }: Size): Facts {
  return width > 0 && height > 0 ? { size: { width, height } } : {};
}
