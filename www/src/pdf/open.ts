/** pdf.js, which is loaded only when a PDF is shown. */
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";

GlobalWorkerOptions.workerSrc = workerUrl;

export type Pdf = PDFDocumentProxy;

/** Opens a PDF from a blob or a URL; rejects if it is not a PDF or has a password. */
export async function openPdf(source: Blob | string): Promise<Pdf> {
  const bytes = source instanceof Blob ? await source.arrayBuffer() : await fetchBytes(source);
  // The content security policy forbids `eval`.
  return getDocument({ data: bytes, isEvalSupported: false }).promise;
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

/** Why a PDF could not be opened, for a person. */
export function describeError(failure: unknown): string {
  const { name } = failure instanceof Error ? failure : { name: "" };
  if (name === "PasswordException") return "This PDF has a password, so its pages cannot be shown.";
  if (name === "InvalidPDFException") return "This file cannot be read as a PDF.";
  return "The pages of this PDF could not be loaded.";
}
