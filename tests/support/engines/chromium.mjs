// Chromium, driven by Playwright.
import { startBrowser } from "../browser.mjs";
import { Page } from "./page.mjs";

/** @returns {Promise<import("./index.mjs").Engine>} */
export async function start() {
  const browser = await startBrowser();
  const open = async () => {
    const playwright = await (await browser.newContext()).newPage();
    return Object.assign(new Page(drive(playwright)), { playwright });
  };
  return { open, head: "", close: () => browser.close() };
}

/** @returns {import("./page.mjs").Driver} */
function drive(page) {
  const lines = [];
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", (error) => lines.push(String(error)));
  return {
    goto: (url) => {
      lines.length = 0;
      return page.goto(url);
    },
    reload: () => page.reload(),
    evaluate: (work, argument) => page.evaluate(work, argument),
    lines: async () => lines,
    click: (selector) => page.click(selector),
    type: (selector, text) => page.fill(selector, text),
    press: (selector, key) => page.press(selector, key),
    choose: (selector, paths) => page.setInputFiles(selector, paths),
    drag: async (from, to) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await page.mouse.up();
    },
    openTab: async (url) => {
      const other = await page.context().newPage();
      await other.goto(url);
      return drive(other);
    },
    close: () => page.context().close(),
  };
}
