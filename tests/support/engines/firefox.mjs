// Firefox, driven by Puppeteer over WebDriver BiDi.
import puppeteer from "puppeteer-core";
import { TIMEOUT_MS } from "../within.mjs";
import { common } from "./driver.mjs";
import { Page } from "./page.mjs";

/** The size of the viewport in CSS pixels, the same as Playwright's for Chromium. */
const VIEWPORT = { width: 1280, height: 720 };

/** @returns {Promise<import("./index.mjs").Engine>} */
export async function start() {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    defaultViewport: VIEWPORT,
    timeout: TIMEOUT_MS,
  });
  const open = async () =>
    new Page(drive(await (await browser.createBrowserContext()).newPage()));
  return { open, head: "", close: () => browser.close() };
}

/** React's development build marks times, which is not output. */
const isOutput = (message) => message.type() !== "timeStamp";

/** @returns {import("./page.mjs").Driver} */
function drive(page) {
  return {
    ...common(page, page.browserContext(), drive, isOutput),
    click: (selector) => page.locator(selector).click(),
    // With this threshold, no text is typed key by key. For typing, the control is first cleared
    // without an `input`, and the page would put the old text back when it renders.
    type: (selector, text) =>
      page.locator(selector).fill(text, { typingThreshold: 0 }),
    press: async (selector, key) => {
      const element = await page.waitForSelector(selector);
      await element.press(key);
    },
    choose: async (selector, paths) => {
      const element = await page.waitForSelector(selector);
      await element.uploadFile(...paths);
    },
  };
}
