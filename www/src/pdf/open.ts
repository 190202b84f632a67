/** pdf.js, which is loaded with the first PDF. */
import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentProxy,
} from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";

GlobalWorkerOptions.workerSrc = workerUrl;

export type Pdf = PDFDocumentProxy;

/** Opens a PDF from a blob or a URL; rejects if it is not a PDF or has a password. */
export async function openPdf(source: Blob | string): Promise<Pdf> {
  const bytes =
    source instanceof Blob
      ? await source.arrayBuffer()
      : await fetchBytes(source);
  await loadWorker();
  // The content security policy forbids `eval`.
  return getDocument({ data: bytes, isEvalSupported: false }).promise;
}

let workerLoaded = false;

async function loadWorker(): Promise<void> {
  if (workerLoaded) return;
  // pdf.js never repeats a failed load of its worker, so it starts only once the script is cached.
  const response = await fetch(workerUrl);
  if (!response.ok) throw new Error(`status ${response.status}`);
  await response.arrayBuffer();
  workerLoaded = true;
}

interface PdfSummary {
  pages: number;
  /** A small picture of the first page; `undefined` if the page cannot be drawn. */
  cover?: Blob | undefined;
}

/** The width of a cover in device pixels: 54 CSS pixels on a phone with three for each. */
const COVER_WIDTH = 162;

/** Summarises a PDF. Rejects like `openPdf`. */
export async function summarise(source: Blob): Promise<PdfSummary> {
  const pdf = await openPdf(source);
  try {
    const cover = await coverOf(pdf).catch(() => undefined);
    return { pages: pdf.numPages, cover };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function coverOf(pdf: Pdf): Promise<Blob | undefined> {
  const canvas = document.createElement("canvas");
  await drawPage(pdf, 1, canvas, COVER_WIDTH);
  return new Promise((resolve) =>
    canvas.toBlob((picture) => resolve(picture ?? undefined)),
  );
}

/** Draws a page on a canvas. `width` becomes the width of the canvas, in device pixels. */
export async function drawPage(
  pdf: Pdf,
  number: number,
  canvas: HTMLCanvasElement,
  width: number,
): Promise<void> {
  const page = await pdf.getPage(number);
  const scale = width / page.getViewport({ scale: 1 }).width;
  const viewport = page.getViewport({ scale });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  await page.render({ canvas, viewport }).promise;
}

async function fetchBytes(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url, { referrerPolicy: "no-referrer" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.arrayBuffer();
}

/** Returns the problem of the PDF itself, which no other load solves; `undefined` for none. */
export function problemOf(failure: unknown): "locked" | "damaged" | undefined {
  const { name } = failure instanceof Error ? failure : { name: "" };
  if (name === "PasswordException") return "locked";
  return name === "InvalidPDFException" ? "damaged" : undefined;
}

export function describeError(failure: unknown): string {
  const problem = problemOf(failure);
  if (problem === "locked")
    return "This PDF has a password, so its pages cannot be shown.";
  if (problem === "damaged") return "This file cannot be read as a PDF.";
  return "The pages of this PDF could not be loaded.";
}
