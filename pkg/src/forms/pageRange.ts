/** Page ranges as text, such as `5,1-2`. The pages are in this order, and may be repeated. */

/** The most pages that are read from a text. No form shows a PDF that far. */
const MAX_PAGES = 10_000;

/** Consecutive pages. `from` may be after `to`. */
interface Run {
  from: number;
  to: number;
}

export function partsOf(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Parses the pages of a part; `undefined` if only the media service may read it, as with `2-`. */
export function runOf(part: string): Run | undefined {
  const [, first, last] = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(part) ?? [];
  return first === undefined
    ? undefined
    : { from: Number(first), to: Number(last ?? first) };
}

/**
 * Returns the pages of a range in its order, 10,000 at most. Skips the parts that only the media
 * service may read.
 */
export function pagesIn(text: string): number[] {
  return partsOf(text).reduce<number[]>(
    (pages, part) =>
      pages.concat(pagesOf(runOf(part), MAX_PAGES - pages.length)),
    [],
  );
}

/** Removes a page from a range, or adds it at the end. The rest stays as it is. */
export function togglePage(text: string, page: number): string {
  const parts = partsOf(text);
  const isChosen = parts.some((part) => includes(runOf(part), page));
  const changed = isChosen
    ? parts.flatMap((part) => leaveOut(part, page))
    : withPage(parts, page);
  return changed.join(",");
}

/** Removes the spaces of a range, unless it has a part that only the media service may read. */
export function tidyPages(text: string): string {
  const parts = partsOf(text);
  // A part that cannot be read here may need its spaces.
  return parts.every(runOf)
    ? parts.map((part) => part.replace(/\s/g, "")).join(",")
    : text;
}

function pagesOf(run: Run | undefined, limit: number): number[] {
  if (!run) return [];
  const step = stepOf(run);
  const length = Math.min(Math.abs(run.to - run.from) + 1, limit);
  return Array.from({ length }, (_, index) => run.from + index * step);
}

function leaveOut(part: string, page: number): string[] {
  const run = runOf(part);
  if (!run || !includes(run, page)) return [part];
  const step = stepOf(run);
  const before =
    page === run.from ? [] : [textOf({ from: run.from, to: page - step })];
  const after =
    page === run.to ? [] : [textOf({ from: page + step, to: run.to })];
  return [...before, ...after];
}

function withPage(parts: readonly string[], page: number): string[] {
  const last = runOf(parts.at(-1) ?? "");
  const isNext = last && last.from <= last.to && last.to + 1 === page;
  return isNext
    ? parts.with(-1, textOf({ from: last.from, to: page }))
    : [...parts, String(page)];
}

function includes(run: Run | undefined, page: number): boolean {
  return (
    run !== undefined &&
    Math.min(run.from, run.to) <= page &&
    page <= Math.max(run.from, run.to)
  );
}

function stepOf({ from, to }: Run): number {
  return from <= to ? 1 : -1;
}

function textOf({ from, to }: Run): string {
  return from === to ? `${from}` : `${from}-${to}`;
}
