/** pdf.js, which is loaded only when a PDF is shown. */
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

/** pdf.js never repeats a load of its worker that failed, so it starts with one that the browser has stored. */
async function loadWorker(): Promise<void> {
  if (workerLoaded) return;
  const response = await fetch(workerUrl);
  if (!response.ok) throw new Error(`status ${response.status}`);
  await response.arrayBuffer();
  workerLoaded = true;
}

/** How many pages a PDF has; rejects as `openPdf` does. */
export async function countPages(source: Blob): Promise<number> {
  const { numPages, loadingTask } = await openPdf(source);
  await loadingTask.destroy();
  return numPages;
}

async function fetchBytes(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url, { referrerPolicy: "no-referrer" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.arrayBuffer();
}

/** What is wrong with the PDF itself, so that to load it again does not help; `undefined` for any other failure. */
export function problemOf(failure: unknown): "locked" | "damaged" | undefined {
  const { name } = failure instanceof Error ? failure : { name: "" };
  if (name === "PasswordException") return "locked";
  return name === "InvalidPDFException" ? "damaged" : undefined;
}

/** Why a PDF could not be opened, for a person. */
export function describeError(failure: unknown): string {
  const problem = problemOf(failure);
  if (problem === "locked")
    return "This PDF has a password, so its pages cannot be shown.";
  if (problem === "damaged") return "This file cannot be read as a PDF.";
  return "The pages of this PDF could not be loaded.";
}
