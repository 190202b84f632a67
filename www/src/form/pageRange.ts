/** Page ranges as text, such as `1-2,5`, and as the set of pages that they name. */

/** No PDF that is shown has more; what lies beyond is left to the text. */
const MOST = 10_000;

/** The pages that the text names; what is not a page or a range is left out. */
export function pagesIn(text: string): Set<number> {
  const pages = new Set<number>();
  for (const part of text.split(",")) {
    const [, first, last] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part) ?? [];
    const from = Number(first);
    const to = Math.min(Number(last ?? first), MOST);
    for (let page = from; page <= to; page += 1) pages.add(page);
  }
  return pages;
}

/** The shortest text that names these pages, in order. */
export function rangeOf(pages: Iterable<number>): string {
  const runs: [number, number][] = [];
  for (const page of [...pages].sort((one, other) => one - other)) {
    const run = runs.at(-1);
    if (run && run[1] === page - 1) run[1] = page;
    else runs.push([page, page]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
