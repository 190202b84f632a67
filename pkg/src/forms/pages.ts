import type { Issue } from "../types/issues.js";
import { doubt, error } from "./issue.js";
import { partsOf, runOf } from "./pageRange.js";

/** Returns the issues of a range. `pages` is the number of pages in the PDF, if it is known. */
export function checkPages(
  path: string,
  text: string,
  pages: number | undefined,
): Issue[] {
  if (!/[\p{L}\p{N}]/u.test(text))
    return [
      error(
        path,
        "malformed",
        "names no page; give pages such as 1-3 or 1,3,5",
      ),
    ];
  const parts = partsOf(text);
  const runs = parts.map(runOf).filter((run) => run !== undefined);
  if (runs.some(({ from, to }) => from === 0 || to === 0)) {
    return [error(path, "out_of_range", "names page 0; the first page is 1")];
  }
  const last = Math.max(0, ...runs.flatMap(({ from, to }) => [from, to]));
  if (pages !== undefined && last > pages) {
    return [
      error(
        path,
        "out_of_range",
        `names page ${last}, but the last page of the PDF is ${pages}`,
      ),
    ];
  }
  const descending = parts.find(isDescending);
  return descending === undefined
    ? []
    : [
        doubt(
          path,
          "malformed",
          `${descending} goes backwards, which is an unusual range`,
        ),
      ];
}

function isDescending(part: string): boolean {
  const run = runOf(part);
  return run !== undefined && run.from > run.to;
}
