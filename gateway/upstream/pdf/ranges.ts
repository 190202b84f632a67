// Page ranges: "forms such as 1-3, 1,3,5, 1-2,5" (§4.3). The emulator reads the same forms.
import { ProviderError } from "../provider.js";

/** The most pages of a result. A list such as `1-999,1-999,…` could name any number. */
const MAX_PAGES = 10_000;

/**
 * Returns the pages that a range names in a document of `total` pages, in the order of the range and
 * counted from 1.
 *
 * @throws {ProviderError} 422 for a page past the end, too many pages, no pages, and any other form
 */
export function pagesIn(range: string, total: number): number[] {
  const parts = range.split(/[,;]/).map((part) => part.trim());
  const pages: number[] = [];
  for (const part of parts.filter(Boolean)) {
    const [first, last] = endsOf(part, total);
    const past = [first, last].find((page) => page > total);
    if (past !== undefined)
      throw refusal(
        `page ${past} is past the end; pages in the document: ${total}`,
      );
    const step = first <= last ? 1 : -1;
    for (let page = first; page !== last + step; page += step) pages.push(page);
    if (pages.length > MAX_PAGES)
      throw refusal(`more than ${MAX_PAGES} pages; request fewer`);
  }
  if (pages.length === 0) throw unknown();
  return pages;
}

function endsOf(part: string, total: number): [number, number] {
  if (/^all$/i.test(part)) return [1, total];
  const [first = "", last, ...others] = part.split("-", 3);
  if (last === undefined) {
    const page = pageOf(first, total);
    return [page, page];
  }
  if (others.length > 0 || part === "-") throw unknown();
  return [pageOf(first || "first", total), pageOf(last || "last", total)];
}

function pageOf(text: string, total: number): number {
  const name = text.trim().toLowerCase();
  if (name === "first") return 1;
  if (name === "last" || name === "end") return total;
  const page = /^\d+$/.test(name) ? Number(name) : 0;
  if (page < 1 || page > MAX_NUMBER) throw unknown();
  return page;
}

/** The largest number of a page that is not taken for a mistake. */
const MAX_NUMBER = 2 ** 32 - 1;

const refusal = (reason: string) =>
  new ProviderError(422, `page_range: ${reason}`);

const unknown = () =>
  refusal(
    "this module does not read this form; give one such as 1-3, 1,3,5 or 2-",
  );
