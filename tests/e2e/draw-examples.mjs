// Draws the playground's examples. Run after a change here: node tests/e2e/draw-examples.mjs
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ffmpeg from "@ffmpeg-installer/ffmpeg";
import { PDFDocument, rgb } from "pdf-lib";
import sharp from "sharp";
import { wav } from "../support/fixtures.mjs";

const examples = fileURLToPath(
  new URL("../../www/src/examples/", import.meta.url),
);

/** The size of the video in pixels. */
const FRAME = { width: 480, height: 270 };
const SECONDS = 6;
const FRAMES_PER_SECOND = 20;
/** The samples of the sound per second. */
const SAMPLE_RATE = 8000;

const svg = (width, height, content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
  `viewBox="0 0 ${width} ${height}">${content}</svg>`;

/** A lamp before a plain wall, which the emulator can cut out without a model. */
const LAMP = `<ellipse cx="480" cy="520" rx="150" ry="22" fill="#3d4a44"/>
<path d="M470 250h20v270h-20z" fill="#3d4a44"/>
<path d="M390 100h180l90 180H300z" fill="#e07a3f"/>
<path d="M390 100h60l-60 180h-90z" fill="#f0955a"/>
<ellipse cx="480" cy="280" rx="180" ry="26" fill="#ffe3a8"/>
<circle cx="480" cy="292" r="26" fill="#fff6dd"/>`;

const still = () =>
  svg(960, 640, `<path d="M0 0h960v640H0z" fill="#dfe6dc"/>${LAMP}`);

/** Draws a head and shoulders, from the front. */
const person = ({ wall, shirt, skin, hair }) =>
  svg(
    512,
    512,
    `<path d="M0 0h512v512H0z" fill="${wall}"/>
<path d="M76 512c0-100 70-140 180-140s180 40 180 140z" fill="${shirt}"/>
<path d="M216 310h80v80c-20 26-60 26-80 0z" fill="${skin}"/>
<ellipse cx="256" cy="220" rx="96" ry="120" fill="${skin}"/>
<path d="M150 220C140 90 200 70 256 70s116 20 106 150c-20-70-60-90-106-90s-86 20-106 90z"
 fill="${hair}"/>
<circle cx="220" cy="222" r="9" fill="#2a2a2a"/><circle cx="292" cy="222" r="9" fill="#2a2a2a"/>
<path d="M222 282q34 26 68 0"
 fill="none" stroke="#8a3b32" stroke-width="8" stroke-linecap="round"/>`,
  );

const LOGO = `<rect width="64" height="28" rx="6" fill="#ffffff"/>
<path d="M10 20V9l7 7 7-7v11" fill="none" stroke="#0f6b62" stroke-width="3"/>
<circle cx="44" cy="14" r="7" fill="#e07a3f"/>`;

/** Draws a street with a red car, a subtitle and a logo. */
function street(car) {
  return `<path d="M0 0h480v270H0z" fill="#bfe0ea"/>
<circle cx="90" cy="60" r="26" fill="#ffd97a"/>
<path d="M0 170l110-80 90 70 90-90 190 110v60H0z" fill="#7fa58f"/>
<path d="M0 190h480v80H0z" fill="#5c6167"/>
<path d="M0 228h480" stroke="#e9e4c9" stroke-width="4" stroke-dasharray="36 24"/>
<g transform="translate(${car} 168)">
<path d="M0 36h110V20l-26-4L66 0H32L20 16 0 20z" fill="#c8322b"/>
<path d="M36 5h12v11H28zM53 5h11l11 11H53z" fill="#dff1f7"/>
<circle cx="26" cy="38" r="10" fill="#222"/><circle cx="86" cy="38" r="10" fill="#222"/></g>
<g transform="translate(402 14)">${LOGO}</g>
<text x="240" y="256" text-anchor="middle" font-family="sans-serif" font-size="18"
 font-weight="700" fill="#fff" stroke="#000" stroke-width="3"
 paint-order="stroke">On the way to the sea</text>`;
}

async function png(name, content) {
  const { data } = await sharp(Buffer.from(content))
    .png({ palette: true, effort: 10 })
    .toBuffer({ resolveWithObject: true });
  await writeFile(`${examples}${name}.png`, data);
}

async function video(name) {
  const { width, height } = FRAME;
  const encoder = spawn(
    ffmpeg.path,
    [
      ..."-y -loglevel error -f image2pipe -c:v png".split(" "),
      ...`-framerate ${FRAMES_PER_SECOND} -i -`.split(" "),
      ..."-c:v libx264 -preset veryslow -crf 30 -pix_fmt yuv420p".split(" "),
      ..."-movflags +faststart".split(" "),
      `${examples}${name}.mp4`,
    ],
    { stdio: ["pipe", "inherit", "inherit"] },
  );
  const frames = SECONDS * FRAMES_PER_SECOND;
  for (let index = 0; index < frames; index += 1) {
    const car = Math.round(-110 + (590 * index) / frames);
    const frame = Buffer.from(svg(width, height, street(car)));
    encoder.stdin.write(await sharp(frame).png().toBuffer());
  }
  encoder.stdin.end();
  await once(encoder, "close");
}

/** Makes the sound of a chord's notes, one after the other, each fading. */
function sound() {
  const notes = [262, 330, 392, 523, 392, 330];
  return notes.flatMap((frequency) =>
    Array.from({ length: SAMPLE_RATE / 2 }, (_, index) => {
      const seconds = index / SAMPLE_RATE;
      const level = 12_000 * Math.exp(-4 * seconds);
      return Math.round(level * Math.sin(2 * Math.PI * frequency * seconds));
    }),
  );
}

/** Makes a PDF whose pages have a title, and lines instead of text. */
async function document(title, pages) {
  const result = await PDFDocument.create();
  for (let number = 1; number <= pages; number += 1) {
    const sheet = result.addPage([210, 297]);
    sheet.drawText(`${title} ${number}`, { x: 22, y: 254, size: 20 });
    for (let line = 0; line < 13; line += 1) {
      const width = line % 5 === 4 ? 70 : 150 + ((line * 7 + number * 5) % 16);
      const y = 226 - line * 15;
      const color = rgb(0.78, 0.8, 0.78);
      sheet.drawRectangle({ x: 22, y, width, height: 5, color });
    }
  }
  return result.save();
}

await png("lamp", still());
await png(
  "ada",
  person({
    wall: "#dfe6dc",
    shirt: "#0f6b62",
    skin: "#e9b992",
    hair: "#3b2a20",
  }),
);
await png(
  "ben",
  person({
    wall: "#f3e9dc",
    shirt: "#44506e",
    skin: "#9a6a4a",
    hair: "#c9c2b6",
  }),
);
await png("logo", svg(64, 28, LOGO));
await video("street");
await writeFile(`${examples}melody.wav`, wav(sound()));
await writeFile(`${examples}report.pdf`, await document("Report, page", 5));
await writeFile(`${examples}notes.pdf`, await document("Notes, page", 2));
