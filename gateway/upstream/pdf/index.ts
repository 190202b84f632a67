/**
 * PDF documents, which no provider merges or splits. The module does it itself.
 *
 * @module mediagate-gateway/upstream/pdf
 */
import { base64 } from "../files.js";
import type { InputFile, Model, Started } from "../model.js";
import { ProviderError } from "../provider.js";
import { type Pages, Result, read, TooLarge } from "./documents.js";
import { Locked, OverBudget, readingOf } from "./parser.js";
import { pagesIn } from "./ranges.js";

/** The most bytes of the documents of a request, for a Worker of 128 MB. */
const MAX_INPUT = 10_000_000;
/** The most bytes of a result. In base64 it fits into the default of `MAX_RESPONSE_BYTES`. */
const MAX_OUTPUT = 12_000_000;

const SHARED = {
  provider: "module",
  status: async () => {
    throw new ProviderError(404, "the module keeps no jobs");
  },
};

/** Merges PDF documents. It needs no provider, and no variables. */
export const mergePdf = (): Model<"merge_pdf"> => ({
  ...SHARED,
  name: "merge-pdf-default",
  async start({ input_file_ids: files }) {
    return made("input_file_ids", files, (pages) => pages);
  },
});

/** Takes pages out of a PDF document. It needs no provider, and no variables. */
export const splitPdf = (): Model<"split_pdf"> => ({
  ...SHARED,
  name: "split-pdf-default",
  async start({ input_file_id: file, page_range: range }) {
    return made("input_file_id", [file], (pages) =>
      pagesIn(range, pages.length).flatMap((page) => pages[page - 1] ?? []),
    );
  },
});

/**
 * Makes a document of pages of others.
 *
 * @param choose - Returns the pages to take of a document.
 * @throws {ProviderError} 422 with the field, the reason and the remedy
 */
async function made(
  field: string,
  files: readonly InputFile[],
  choose: (pages: Pages) => Pages,
): Promise<Started> {
  const refusal = (reason: string) =>
    new ProviderError(422, `${field}: ${reason}`);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > MAX_INPUT)
    throw refusal(
      `${inMB(size)} are more than the ${inMB(MAX_INPUT)} that the module reads; give fewer or smaller documents`,
    );
  const reading = readingOf(size);
  const result = new Result(MAX_OUTPUT);
  const lost = new Set<string>();
  for (const file of files) {
    const bytes = await file.bytes();
    try {
      const source = await read(bytes, reading);
      result.append(source, choose(source.pages));
      for (const part of source.lost) lost.add(part);
    } catch (error) {
      throw error instanceof ProviderError
        ? error
        : refusal(reasonOf(error, file.name));
    }
  }
  const bytes = await result.bytes().catch((error) => {
    throw refusal(reasonOf(error, "the result"));
  });
  const url = `data:application/pdf;base64,${base64(bytes)}`;
  return {
    outputs: [{ url, type: "application/pdf" }],
    warnings:
      lost.size > 0 ? [`the result has no ${[...lost].join(", no ")}`] : [],
  };
}

const inMB = (size: number) => `${(size / 1e6).toFixed(1)} MB`;

function reasonOf(error: unknown, name: string): string {
  if (error instanceof Locked)
    return `${name} is protected by a password; remove it first`;
  if (error instanceof OverBudget)
    return `the documents up to ${name} have too many parts for the module; print them to new PDFs, and give those`;
  if (error instanceof TooLarge)
    return `the result has more than ${inMB(MAX_OUTPUT)}; choose fewer pages or documents`;
  return `${name} is not a readable PDF document; save it again with another program`;
}
