/** Page ranges as text, such as `1-2,5`, and as a set of page numbers. */

/** Higher page numbers are only in the text: no PDF is shown that far. */
const MAX_PAGE = 10_000;

/** The pages in the text; parts that are neither a page nor a range are ignored. */
export function pagesIn(text: string): Set<number> {
  const pages = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part) ?? [];
    const from = Number(first);
    const to = Math.min(Number(last ?? first), MAX_PAGE);
    for (let page = from; page <= to; page += 1) pages.add(page);
  }
  return pages;
}

/** The shortest text for these pages, in order. */
export function rangeOf(pages: Iterable<number>): string {
  const runs: [number, number][] = [];
  for (const page of [...pages].sort((one, other) => one - other)) {
    const run = runs.at(-1);
    if (run && run[1] === page - 1) run[1] = page;
    else runs.push([page, page]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
