// Starts a real Chromium, without background networking or anything else that is not the page.
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts Chromium. `CHROME` names the executable; the default is Debian's, without windows. */
export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROME ?? "/usr/bin/chromium-headless-shell",
    args: ARGUMENTS,
  });
}
