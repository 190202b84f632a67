// Draws the playground's examples. Run after a change here: node tests/e2e/draw-examples.mjs
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ffmpeg from "@ffmpeg-installer/ffmpeg";
import { PDFDocument, rgb } from "pdf-lib";
import sharp from "sharp";
import { wav } from "../support/fixtures.mjs";
import { drawn, gradient, svg } from "./drawing.mjs";

const examples = fileURLToPath(
  new URL("../../www/src/examples/", import.meta.url),
);

/** The size of the video in pixels. */
const FRAME = { width: 480, height: 270 };
const SECONDS = 6;
const FRAMES_PER_SECOND = 20;
/** The samples of the sound per second. */
const SAMPLE_RATE = 12_000;

/**
 * Draws a lamp on books before a plain wall. The emulator cuts it out without a model: the wall has
 * the colour of the border, and no edge of the lamp is similar.
 */
async function still() {
  // A weak light, since a bright wall around the lamp would not be cut out.
  const lamp = await drawn("lamp", 206, 6, 550, { halo: 0.4 });
  const book = (x, y, width, colour) => `
<rect x="${x}" y="${y}" width="${width}" height="34" rx="6" fill="${colour}"/>
<path d="M${x + width - 26} ${y + 6}h26v22h-26z" fill="#fbf0d9"/>
<path d="M${x + 30} ${y + 14}h90v6h-90z" fill="#fff" opacity=".4"/>
<rect x="${x}" y="${y}" width="${width}" height="34" rx="6" fill="url(#shade)"/>`;
  return svg(
    960,
    640,
    `<defs>${gradient("wall", "#b2d7d7", "#98c5c8", 'x2="1" y2="1"')}
${gradient("shade", "#fff3", "#0005", 'x2="1" y2="0"')}</defs>
<path d="M0 0h960v640H0z" fill="url(#wall)"/>
<ellipse cx="500" cy="600" rx="270" ry="16" fill="#20302c" opacity=".1"/>
${book(290, 564, 390, "#24506b")}${book(322, 530, 330, "#e07a3f")}
${lamp}`,
  );
}

const BODY = `<path d="M50 560c2-142 56-196 124-220l44-16q38 22 76 0l44 16c68 24 122 78 124 220z"/>`;

/** The wall of the people whose heads can be swapped. */
const WALL = ["#fbf0da", "#efd9b4"];

/** Draws a head and shoulders, from the front. */
function person({
  wall: [light, dark] = WALL,
  behind,
  clothes,
  collar,
  skin,
  shadow,
  hair,
  back,
  face,
}) {
  return svg(
    512,
    512,
    `<defs>${gradient("wall", light, dark, 'x2="1" y2="1"')}
<radialGradient id="skin" cx=".34" cy=".3" r=".85"><stop stop-color="#fff" stop-opacity=".3"/>
<stop offset=".5" stop-color="#fff" stop-opacity="0"/>
<stop offset="1" stop-color="${shadow}" stop-opacity=".75"/></radialGradient>
${gradient("cloth", "#fff3", "#0004", 'x2="1" y2="1"')}</defs>
<path d="M0 0h512v512H0z" fill="url(#wall)"/>${behind}${back}
<path d="M228 222h56v60h-56z" fill="${skin}"/><path d="M228 222h56v28q-28 14-56 0z"
 fill="${shadow}" opacity=".55"/>
<g transform="translate(0 -29)">
<g fill="${clothes}">${BODY}</g><g fill="url(#cloth)">${BODY}</g>${collar}</g>
<ellipse cx="193" cy="172" rx="12" ry="17" fill="${skin}"/>
<ellipse cx="319" cy="172" rx="12" ry="17" fill="${shadow}"/>
<path d="M194 150c0-44 24-70 62-70s62 26 62 70c0 56-26 92-62 92s-62-36-62-92z" fill="${skin}"/>
<path d="M194 150c0-44 24-70 62-70s62 26 62 70c0 56-26 92-62 92s-62-36-62-92z"
 fill="url(#skin)"/>
<g fill="none" stroke="${hair}" stroke-width="5" stroke-linecap="round">
<path d="M216 145q14-9 27-3M269 142q13-6 27 3"/></g>
<g fill="#20302c"><circle cx="230" cy="164" r="6.500"/><circle cx="282" cy="164" r="6.500"/></g>
<g fill="#fff"><circle cx="228" cy="162" r="2"/><circle cx="280" cy="162" r="2"/></g>
<path d="M257 166q10 20 7 25q-5 5-13 2" fill="none" stroke="${shadow}" stroke-width="4"
 stroke-linecap="round"/>${face}`,
  );
}

const ADA = {
  behind: `<path d="M28 60h104v150H28z" fill="#bfdbd8"/>
<path d="M28 210v-64l40-22 30 14 34-20v92z" fill="#8fc0b4"/><circle cx="58" cy="92" r="15" fill="#fff3cf"/>
<path d="M28 60h104v150H28zM80 60v150M28 134h104" fill="none" stroke="#fff" stroke-width="9"/>
<path d="M404 512V340q0-10 10-10h56q10 0 10 10v172z" fill="#e07a3f"/>
<g fill="#2c8a7b"><path d="M440 332c-44-30-52-80-34-128 26 34 40 78 34 128z"/>
<path d="M444 332c-8-62 10-106 48-136 10 54-6 104-48 136z" fill="#0f6b62"/>
<path d="M442 334c-30-8-58-34-66-68 36 4 60 28 66 68z"/></g>`,
  clothes: "#0f6b62",
  collar: `<path d="M212 286q44 20 88 0l6 44q-50 30-100 0z" fill="#14786e"/>
<path d="M212 286q44 20 88 0l1 12q-45 20-90 0z" fill="#fff" opacity=".16"/>`,
  skin: "#eebb95",
  shadow: "#cf8d66",
  hair: "#4a2c1d",
  back: `<path d="M182 150c-4-56 28-88 74-88s78 32 74 88c-1 22 2 38-6 52-24 16-112 16-136 0
-8-14-5-30-6-52z" fill="#3b2317"/>`,
  face: `<path d="M190 172c-14-70 24-108 68-108 46 0 80 36 64 108-4-40-22-58-40-66-18 16-56 20-70 18
-12 10-20 26-22 48z" fill="#4a2c1d"/>
<path d="M200 108c12-26 38-36 60-32-26 4-44 14-60 32z" fill="#fff" opacity=".14"/>
<path d="M232 204q24 20 48 0q-8 22-24 22t-24-22z" fill="#b9443a"/>
<path d="M236 207q20 12 40 0l-3 5q-17 8-34 0z" fill="#fff"/>
<g fill="#e8836b" opacity=".4"><circle cx="213" cy="190" r="11"/><circle cx="299" cy="190" r="11"/></g>
<g fill="#f2c14e"><circle cx="190" cy="196" r="5"/><circle cx="322" cy="196" r="5"/></g>`,
};

const BEN = {
  behind: `<rect x="28" y="70" width="104" height="132" rx="6" fill="#24506b"/>
<rect x="38" y="80" width="84" height="112" rx="3" fill="#bfdbd8"/>
<path d="M38 192v-30l28-34 22 24 14-14 20 24v30z" fill="#2c8a7b"/>
<circle cx="98" cy="106" r="12" fill="#f2c14e"/>
<path d="M384 250h128v12H384z" fill="#b07a4a"/>
<g><path d="M400 178h20v72h-20z" fill="#e07a3f"/><path d="M422 164h24v86h-24z" fill="#0f6b62"/>
<path d="M448 186h16v64h-16z" fill="#24506b"/><path d="M468 250l18-68 17 5-17 63z" fill="#c8503f"/></g>`,
  clothes: "#c8603a",
  collar: `<path d="M210 288l46 46 46-46 18 34-40 44-24-32-24 32-40-44z" fill="#fbf0d9"/>
<path d="M244 334h24l8 178h-40z" fill="#000" opacity=".12"/>
<g fill="#fbf0d9"><circle cx="256" cy="400" r="5"/><circle cx="256" cy="450" r="5"/></g>`,
  skin: "#a56f4b",
  shadow: "#7a4a2f",
  hair: "#3a3532",
  back: "",
  face: `<path d="M192 160c-10-58 18-92 64-92s74 34 64 92c-2-22-10-36-18-44-28 6-64 6-92 0-8 8-16 22-18 44z"
 fill="#4b4541"/><path d="M204 96c14-18 34-24 54-22-22 4-40 10-54 22z" fill="#fff" opacity=".16"/>
<path d="M193 166c4 20 8 28 18 32 12-6 30-8 45-2 15-6 33-4 45 2 10-4 14-12 18-32 4 52-20 80-63 80
s-67-28-63-80z" fill="#4b4541"/>
<path d="M232 208q24 16 48 0q-6 18-24 18t-24-18z" fill="#8f3a30"/>
<path d="M237 211q19 9 38 0l-3 4q-16 6-32 0z" fill="#fff"/>
<g fill="#fff" fill-opacity=".08" stroke="#20302c" stroke-width="4"><circle cx="229" cy="164" r="20"/>
<circle cx="283" cy="164" r="20"/></g><path d="M249 161q7-5 14 0" fill="none" stroke="#20302c"
 stroke-width="4"/>`,
};

/** A singer before the lights of a street at night. */
const SINGER = {
  wall: ["#2a2f66", "#6b2f6e"],
  behind: `<g fill="#1c2150"><path d="M0 512V190h70v-40h56v362zM386 512V120h60v60h66v332z"/></g>
<g fill="#ffd27a" opacity=".85"><path d="M20 214h14v18H20zM44 214h14v18H44zM20 252h14v18H20zM84 176h14v18H84z
M84 214h14v18H84zM402 144h14v18h-14zM424 144h14v18h-14zM402 182h14v18h-14zM464 206h14v18h-14zM486 244h14v18h-14z"/></g>
<g fill="none" stroke-linecap="round" stroke-linejoin="round"><path d="M80 36l12 25 27 4-19 19 4 27-24-13-24 13 4-27-19-19 27-4z" stroke="#ff8fb1"
 stroke-width="14" opacity=".25"/><path d="M80 36l12 25 27 4-19 19 4 27-24-13-24 13 4-27-19-19 27-4z" stroke="#ff9fbd" stroke-width="5"/>
<circle cx="440" cy="66" r="30" stroke="#5fe0cf" stroke-width="14" opacity=".25"/>
<circle cx="440" cy="66" r="30" stroke="#7df0e0" stroke-width="5"/>
<path d="M433 80V54l22-5v24" stroke="#7df0e0" stroke-width="5"/></g>
<g fill="#7df0e0"><circle cx="427" cy="80" r="7"/><circle cx="449" cy="74" r="7"/></g>`,
  clothes: "#26304f",
  collar: `<path d="M206 290q50 26 100 0l6 30-56 72-56-72z" fill="#fbf0d9"/>
<path d="M206 284l50 76-42 40-40-92zM306 284l-50 76 42 40 40-92z" fill="#e07a3f"/>`,
  skin: "#b97a52",
  shadow: "#7d4630",
  hair: "#2a1a1f",
  back: `<g fill="#24161c"><circle cx="256" cy="140" r="94"/><circle cx="176" cy="164" r="50"/>
<circle cx="336" cy="164" r="50"/><circle cx="196" cy="96" r="52"/><circle cx="316" cy="96" r="52"/>
<circle cx="186" cy="216" r="36"/><circle cx="326" cy="216" r="36"/></g>
<path d="M140 170q-14-60 44-104" fill="none" stroke="#ff9fbd" stroke-width="5" opacity=".7"
 stroke-linecap="round"/><path d="M372 170q14-60-44-104" fill="none" stroke="#7df0e0" stroke-width="5"
 opacity=".6" stroke-linecap="round"/>`,
  face: `<path d="M190 158c-4-54 26-86 66-86s70 32 66 86c-10-26-22-40-34-46-20 10-44 12-66 4-14 8-24 20-32 42z"
 fill="#24161c"/>
<path d="M234 200q22-8 44 0q2 32-22 32t-22-32z" fill="#6d1f2b"/>
<path d="M238 201q18-6 36 0l-2 6q-16-4-32 0z" fill="#fff"/><path d="M244 224q12-8 24 0q-12 12-24 0z"
 fill="#e8736b"/><g fill="none" stroke="#f2c14e" stroke-width="4"><circle cx="190" cy="206" r="12"/>
<circle cx="322" cy="206" r="12"/></g>
<path d="M318 300l40 150h26l-46-156z" fill="#11162f"/><circle cx="322" cy="276" r="30" fill="#3b4470"/>
<path d="M294 270q28 14 57-8M294 284q30 12 58-6M302 256q24 8 42-6M322 246v60" fill="none" stroke="#8a93c4"
 stroke-width="2.500" opacity=".7"/><path d="M306 298l26-10 8 14-26 10z" fill="#f2c14e"/>
<path d="M350 512l-22-86q34-22 62-2l34 88z" fill="#1c2440"/>
<path d="M326 430q34-24 66-4l8 22q-36-18-68 4z" fill="#e07a3f"/>
<path d="M322 384q18-22 44-14q30 8 34 40l-6 40q-40 10-62-14z" fill="#b97a52"/>
<path d="M326 398l46-10M326 414l50-8M330 430l48-6" stroke="#7d4630" stroke-width="3" stroke-linecap="round"/>`,
};

const LOGO = `<rect width="64" height="28" rx="6" fill="#fff"/>
<path d="M10 20V9l7 7 7-7v11" fill="none" stroke="#0f6b62" stroke-width="3"/>
<circle cx="44" cy="14" r="7" fill="#e07a3f"/>`;

/**
 * Draws a frame of a drive along the sea, with a subtitle and a logo. Farther things move more
 * slowly. Behind subtitle and logo are even areas, which the emulator can fill.
 *
 * @param {number} time in seconds
 * @param {string} car
 * @param {string} boat
 * @param {string} tower
 */
function street(time, car, boat, tower) {
  const moved = (left, speed, content) =>
    `<g transform="translate(${(left - speed * time).toFixed(1)} 0)">${content}</g>`;
  const palm = (left) => `<g transform="translate(${left} 0)">
<path d="M-2 190q-4-40 4-74h5q-6 36-2 74z" fill="#8a5f3f"/>
<g fill="#2c8a7b"><path d="M4 118q-26-18-46 6q24-10 46-6z"/><path d="M4 118q-20-30-44-22q28 4 44 22z"/>
<path d="M4 118q26-18 44 8q-22-12-44-8z"/><path d="M4 118q18-30 44-20q-28 4-44 20z" fill="#0f6b62"/>
<path d="M4 118q-6-26 6-38q8 20-6 38z" fill="#0f6b62"/></g></g>`;
  const every = (step, count, draw) =>
    Array.from({ length: count }, (_, index) => draw(index * step)).join("");
  return `<defs>${gradient("sky", "#79b9dd", "#fdeccb")}${gradient("sea", "#3fa3ae", "#1f7d88")}
${gradient("road", "#5f6b6c", "#4b5658")}${gradient("sand", "#efd9a7", "#d9b97d")}
<radialGradient id="sun"><stop stop-color="#fff6d8" stop-opacity=".9"/>
<stop offset="1" stop-color="#fff6d8" stop-opacity="0"/></radialGradient></defs>
<path d="M0 0h480v140H0z" fill="url(#sky)"/>
<circle cx="92" cy="52" r="80" fill="url(#sun)"/><circle cx="92" cy="52" r="21" fill="#fff3cf"/>
${moved(
  0,
  3,
  `<g fill="#fff" opacity=".8"><path d="M196 62q2-14 18-12q8-16 26-8q16-4 18 12q14 0 14 8z"/>
<path d="M336 88q2-9 12-8q6-10 18-5q10-2 12 8q10 0 10 5z"/></g>`,
)}
<path d="M0 128h480v60H0z" fill="url(#sea)"/>
<g fill="#fff" opacity=".35"><path d="M60 134h66v2H60zM76 141h40v2H76zM84 149h26v2H84z"/></g>
${moved(236, 7, `<path d="M-30 130q60-34 130-26t150 26z" fill="#5e9a86"/>${tower}`)}
${moved(196, 12, boat)}
<path d="M0 172h480v22H0z" fill="url(#sand)"/>
${moved(0, 42, every(170, 6, palm))}
<path d="M0 188h480v8H0z" fill="#c9cbbd"/><path d="M0 194h480v76H0z" fill="url(#road)"/>
${moved(0, 120, `<g fill="#f6e7c8" opacity=".85">${every(64, 20, (left) => `<path d="M${left} 220h34v4h-34z"/>`)}</g>`)}
${moved(0, 120, `<g fill="#eef0e4">${every(80, 16, (left) => `<path d="M${left} 172h5v20h-5z"/>`)}</g>`)}
<path d="M0 176h480v4H0z" fill="#eef0e4"/>
<ellipse cx="${(182 + 26 * time).toFixed(1)}" cy="222" rx="60" ry="4" fill="#20302c" opacity=".35"/>
<g transform="translate(${(120 + 26 * time).toFixed(1)} ${(Math.sin(9 * time) * 0.7).toFixed(2)})">${car}</g>
<g transform="translate(402 14)">${LOGO}</g>
<text x="240" y="256" text-anchor="middle" font-family="sans-serif" font-size="18"
 font-weight="700" fill="#fff" stroke="#20302c" stroke-width="3"
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
  const car = await drawn("car", 0, 103, 128);
  const boat = await drawn("sailing-boat", 0, 84, 62);
  const tower = await drawn("lighthouse", 30, 30, 84);
  for (let index = 0; index < SECONDS * FRAMES_PER_SECOND; index += 1) {
    const shown = street(index / FRAMES_PER_SECOND, car, boat, tower);
    const frame = Buffer.from(svg(width, height, shown));
    encoder.stdin.write(await sharp(frame).png().toBuffer());
  }
  encoder.stdin.end();
  await once(encoder, "close");
}

/** The notes of a bar for each chord, in Hertz: a bass, then four of a melody. */
const BARS = [
  [131, 523, 659, 784, 659],
  [110, 440, 523, 659, 523],
  [87, 440, 523, 698, 523],
  [98, 494, 587, 784, 988],
];

/** Plays the bars on a marimba, a second each. Every note rings on below the next ones. */
function sound() {
  const mix = new Float64Array(BARS.length * SAMPLE_RATE);
  const strike = (frequency, start, level, decay) => {
    for (let index = start * SAMPLE_RATE; index < mix.length; index += 1) {
      const seconds = index / SAMPLE_RATE - start;
      const turn = 2 * Math.PI * frequency * seconds;
      const click = 0.3 * Math.exp(-5 * decay * seconds) * Math.sin(4 * turn);
      const tone = Math.exp(-decay * seconds) * Math.sin(turn);
      mix[index] += level * (tone + click);
    }
  };
  for (const [bar, [bass, ...melody]] of BARS.entries()) {
    strike(bass, bar, 0.5, 2);
    strike(2 * bass, bar, 0.25, 2);
    for (const [beat, note] of melody.entries())
      strike(note, bar + beat / 4, 0.45, 6);
  }
  const fade = SAMPLE_RATE / 4;
  return Array.from(mix, (level, index) =>
    Math.round(22_000 * level * Math.min(1, (mix.length - index) / fade)),
  );
}

const TEAL = rgb(0.06, 0.42, 0.38);
const ORANGE = rgb(0.88, 0.48, 0.25);
const CREAM = rgb(0.98, 0.95, 0.87);
const GREY = rgb(0.82, 0.84, 0.82);

/** Makes a PDF whose pages have a title, a chart, and lines instead of text. */
async function document(title, pages) {
  const result = await PDFDocument.create();
  for (let number = 1; number <= pages; number += 1) {
    const sheet = result.addPage([210, 297]);
    const box = (x, y, width, height, color) =>
      sheet.drawRectangle({ x, y, width, height, color });
    box(0, 0, 210, 297, CREAM);
    box(0, 237, 210, 60, number % 2 ? TEAL : ORANGE);
    sheet.drawText(title, { x: 20, y: 262, size: 20, color: CREAM });
    sheet.drawText(`Page ${number}`, { x: 20, y: 247, size: 9, color: CREAM });
    for (let bar = 0; bar < 7; bar += 1) {
      const height = 14 + ((bar * 23 + number * 17) % 52);
      box(
        20 + bar * 25,
        148,
        17,
        height,
        bar % 3 === number % 3 ? ORANGE : TEAL,
      );
    }
    box(20, 146, 170, 1, TEAL);
    for (let line = 0; line < 8; line += 1) {
      const width = line % 4 === 3 ? 70 : 150 + ((line * 7 + number * 5) % 20);
      box(20, 126 - line * 14, width, 5, GREY);
    }
  }
  return result.save();
}

await png("lamp", await still());
await png("ada", person(ADA));
await png("ben", person(BEN));
await png("singer", person(SINGER));
await png("logo", svg(64, 28, LOGO));
await video("street");
await writeFile(`${examples}melody.wav`, wav(sound(), SAMPLE_RATE));
await writeFile(`${examples}report.pdf`, await document("Report", 5));
await writeFile(`${examples}notes.pdf`, await document("Notes", 2));
