// Draws the picture of a shared link to the playground. Run after a change here: node
// tests/e2e/draw-card.mjs
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import sharp from "sharp";
import { startBrowser } from "../support/browser.mjs";

/** The size that the cards of most services have, in pixels. */
const SIZE = { width: 1200, height: 630 };
/** Some services show no picture of more bytes. */
const MAX_BYTES = 60_000;

const FONT = createRequire(
  new URL("../../www/package.json", import.meta.url),
).resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2");
const TILES = [
  "generate-image",
  "generate-video",
  "process-video",
  "process-image",
  "process-asset",
  "process-audio",
];

async function dataUrl(type, path) {
  const bytes = await readFile(new URL(path, import.meta.url));
  return `data:${type};base64,${bytes.toString("base64")}`;
}

const www = "../../www/";
const icon = await dataUrl("image/svg+xml", `${www}public/favicon.svg`);
const font = await dataUrl("font/woff2", `file://${FONT}`);
const tiles = await Promise.all(
  TILES.map((name) =>
    dataUrl("image/svg+xml", `${www}src/welcome/tiles/${name}.svg`),
  ),
);

const html = `<!doctype html>
<style>
  @font-face { font-family: Inter; font-weight: 100 900; src: url("${font}"); }
  body { display: grid; grid-template-columns: 1fr 536px; gap: 56px; align-items: center;
    height: 630px; margin: 0; padding: 48px 48px 48px 64px; box-sizing: border-box;
    background: #f7f7f4; color: #1b1e1c; font-family: Inter; }
  header { display: flex; align-items: center; gap: 18px; }
  h1 { margin: 0; font-size: 68px; letter-spacing: -0.03em; }
  p { margin: 24px 0 0; color: #5d625d; font-size: 34px; line-height: 1.35; }
  div { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; }
  div img { width: 100%; border-radius: 14px; }
</style>
<main>
  <header><img src="${icon}" width="76" height="76"><h1>Mediagate</h1></header>
  <p>Generate and process video, images, audio and PDF.</p>
</main>
<div>${tiles.map((tile) => `<img src="${tile}">`).join("")}</div>`;

const browser = await startBrowser();
const page = await browser.newPage({ viewport: SIZE });
await page.setContent(html);
await page.evaluate(() => document.fonts.ready.then(() => undefined));
const shot = await page.screenshot();
await browser.close();
const card = await sharp(shot).png({ palette: true, effort: 10 }).toBuffer();
if (card.length > MAX_BYTES)
  throw new Error(`the card has ${card.length} bytes, ${MAX_BYTES} at most`);
await writeFile(new URL(`${www}public/card.png`, import.meta.url), card);
