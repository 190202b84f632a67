/** pdf.js, which only what shows a PDF loads. */
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";

GlobalWorkerOptions.workerSrc = workerUrl;

export type Pdf = PDFDocumentProxy;

/** Opens a PDF of this machine or of an address; rejects where it is none, or wants a password. */
export async function openPdf(source: Blob | string): Promise<Pdf> {
  const bytes = source instanceof Blob ? await source.arrayBuffer() : await fetched(source);
  // The content security policy allows no code made from text.
  return getDocument({ data: bytes, isEvalSupported: false }).promise;
}

async function fetched(url: string): Promise<ArrayBuffer> {
  const answer = await fetch(url, { referrerPolicy: "no-referrer" });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.arrayBuffer();
}

/** What was wrong with a PDF, in words. */
export function whyNot(failure: unknown): string {
  const { name } = failure instanceof Error ? failure : { name: "" };
  if (name === "PasswordException") return "This PDF wants a password, so its pages cannot be shown.";
  if (name === "InvalidPDFException") return "This file cannot be read as a PDF.";
  return "The pages of this PDF could not be loaded.";
}
