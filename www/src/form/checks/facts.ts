/** What is known of a chosen file, read once for each file. What the browser cannot read stays unknown. */
import { type Signal, signal } from "@preact/signals";
import { chunk } from "../../parts/chunk";
import { videoInfo } from "../video";

export interface Facts {
  /** How many pages a PDF has. */
  pages?: number;
  /** Seconds. */
  duration?: number;
  /** Pixels of a picture or of a video's frame. */
  size?: { width: number; height: number };
  /** The reason why the browser could not read it: it has a password, or is not what its type says. */
  problem?: "locked" | "damaged" | undefined;
}

/** A chosen file, and its medium. Of a result nothing is claimed: the page has only its URL. */
export interface FileSource {
  file: File;
  media: string;
}

const UNKNOWN: Facts = {};

/** The types that every browser shows. */
const SHOWN_IMAGES = new Set(["image/png", "image/jpeg", "image/webp"]);

const READERS: Record<string, (file: File) => Promise<Facts | undefined>> = {
  async pdf(file) {
    const pdf = await chunk(() => import("../../pdf/open"));
    try {
      return { pages: await pdf.countPages(file) };
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

/** The facts of a file; empty until they are read. */
export function factsOf(source: FileSource): Facts {
  return readingOf(source).facts.value;
}

/** Resolves once the facts of these files are read. */
export async function factsRead(sources: readonly FileSource[]): Promise<void> {
  await Promise.all(sources.map((it) => readingOf(it).ended));
}

function readingOf({ file, media }: FileSource): Reading {
  const found = readings.get(file);
  if (found) return found;
  const facts = signal(UNKNOWN);
  const read = READERS[media] ?? (async () => UNKNOWN);
  const ended = read(file).then(
    (it) => {
      facts.value = it ?? UNKNOWN;
    },
    () => undefined,
  );
  readings.set(file, { facts, ended });
  return { facts, ended };
}

/** Nothing for a video without a picture. */
function sizeFact({ width, height }: { width: number; height: number }): Facts {
  return width > 0 && height > 0 ? { size: { width, height } } : {};
}
