/** The facts of a chosen file, read once. A fact that the browser cannot read stays unknown. */
import { type Signal, signal } from "@preact/signals";
import type { FileFacts, FileToInspect } from "mediagate/forms";
import { chunk } from "../../parts/chunk";
import { inspect } from "../inspect";

export interface Facts extends FileFacts {
  /** A small picture of the first page of a PDF. */
  cover?: Blob | undefined;
}

const UNKNOWN: Facts = {};

async function read({ file, kind }: FileToInspect): Promise<Facts> {
  if (kind !== "pdf") return inspect(file, kind);
  const pdf = await chunk(() => import("../../pdf/open"));
  try {
    return await pdf.summarise(file);
  } catch (failure) {
    return { problem: pdf.problemOf(failure) };
  }
}

interface Reading {
  facts: Signal<Facts>;
  ended: Promise<void>;
}

const readings = new WeakMap<Blob, Reading>();

/** Returns the facts of a file; empty until they are read. */
export function factsOf(source: FileToInspect): Facts {
  return readingOf(source).facts.value;
}

export async function factsRead(
  sources: readonly FileToInspect[],
): Promise<void> {
  await Promise.all(sources.map((source) => readingOf(source).ended));
}

function readingOf(source: FileToInspect): Reading {
  const found = readings.get(source.file);
  if (found) return found;
  const facts = signal(UNKNOWN);
  const ended = read(source).then(
    (known) => {
      facts.value = known;
    },
    () => undefined,
  );
  readings.set(source.file, { facts, ended });
  return { facts, ended };
}
