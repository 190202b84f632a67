// Chromium, driven by Playwright.
import { startBrowser } from "../browser.mjs";
import { TIMEOUT_MS } from "../within.mjs";
import { common } from "./driver.mjs";
import { Page } from "./page.mjs";

/** @returns {Promise<import("./index.mjs").Engine>} */
export async function start() {
  const browser = await startBrowser();
  const open = async () => {
    const context = await browser.newContext();
    context.setDefaultTimeout(TIMEOUT_MS);
    const playwright = await context.newPage();
    return Object.assign(new Page(drive(playwright)), { playwright });
  };
  return { open, head: "", close: () => browser.close() };
}

/** @returns {import("./page.mjs").Driver} */
function drive(page) {
  return {
    ...common(page, page.context(), drive),
    click: (selector) => page.click(selector),
    type: (selector, text) => page.fill(selector, text),
    press: (selector, key) => page.press(selector, key),
    choose: (selector, paths) => page.setInputFiles(selector, paths),
  };
}
