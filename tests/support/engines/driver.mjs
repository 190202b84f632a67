// The operations that Playwright's and Puppeteer's pages have in common.
import { TIMEOUT_MS } from "../within.mjs";

/**
 * Returns these operations of a page.
 *
 * @param {any} page
 * @param {any} context the pages that share the storage of this one
 * @param {(page: any) => import("./page.mjs").Driver} drive
 * @param {(message: any) => boolean} isOutput returns false for a message of the console that is
 *   not output
 */
export function common(page, context, drive, isOutput = () => true) {
  page.setDefaultTimeout(TIMEOUT_MS);
  const lines = /** @type {string[]} */ ([]);
  page.on(
    "console",
    (message) => isOutput(message) && lines.push(message.text()),
  );
  page.on("pageerror", (error) => lines.push(String(error)));
  return {
    goto: (url) => {
      lines.length = 0;
      return page.goto(url);
    },
    reload: () => page.reload(),
    evaluate: (work, argument) => page.evaluate(work, argument),
    lines: async () => lines,
    drag: async (from, to) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await page.mouse.up();
    },
    openTab: async (url) => {
      const other = drive(await context.newPage());
      await other.goto(url);
      return other;
    },
    close: () => context.close(),
  };
}
