// Draws the tiles of the playground's introduction. Run after a change here or of the emulator's
// drawings: node tests/e2e/draw-tiles.mjs
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { drawn, gradient, svg } from "./drawing.mjs";

const tiles = fileURLToPath(
  new URL("../../www/src/welcome/tiles/", import.meta.url),
);

const PLAY = `<circle cx="268" cy="152" r="26" fill="#fff"/>
<path d="M261 139v26l20-13z" fill="#0f6b62"/>`;

const checks = (x, y, width, height) =>
  `<pattern id="checks" width="20" height="20" patternUnits="userSpaceOnUse">
<path d="M0 0h20v20H0z" fill="#fff"/><path d="M0 0h10v10H0zM10 10h10v10H10z" fill="#e3e8e4"/>
</pattern><path d="M${x} ${y}h${width}v${height}h-${width}z" fill="url(#checks)"/>`;

const ICONS = {
  picture: `<rect x="-10" y="-8" width="20" height="16" rx="2"/><circle cx="-4" cy="-3" r="2"/>
<path d="M-9 6l6-6 4 4 3-3 5 5"/>`,
  cut: `<circle cx="-6" cy="-5" r="3.500"/><circle cx="-6" cy="5" r="3.500"/>
<path d="M-3-3L10 6M-3 3L10-6"/>`,
  play: `<path d="M-5-8v16L9 0z" fill="#0f6b62"/>`,
  note: `<circle cx="-6" cy="6" r="3"/><circle cx="6" cy="3" r="3"/><path d="M-3 6V-6L9-9V3"/>`,
};

/** Draws the steps of a pipeline as icons on a line. */
const steps = (...names) =>
  `<path d="M100 168h120" stroke="#fff" stroke-width="4" stroke-dasharray="1 7"
 stroke-linecap="round"/>${names
   .map(
     (name, index) => `<g transform="translate(${100 + 60 * index} 168)">
<circle r="21" fill="#fff"/><g fill="none" stroke="#0f6b62" stroke-width="2.500"
 stroke-linecap="round" stroke-linejoin="round">${ICONS[name]}</g></g>`,
   )
   .join("")}`;

/** Draws a sheet of a document with a coloured head. */
const sheet = (x, y, colour) => `<g transform="translate(${x} ${y})">
<rect x="3" y="4" width="84" height="112" rx="6" fill="#20302c" opacity=".15"/>
<rect width="84" height="112" rx="6" fill="#fffaf0"/>
<path d="M0 30V6q0-6 6-6h72q6 0 6 6v24z" fill="${colour}"/>
<path d="M12 12h34v6H12z" fill="#fff" opacity=".8"/>
<path d="M12 44h60v5H12zM12 56h52v5H12zM12 68h60v5H12z" fill="#d5d9d2"/>
<path d="M14 102V90h10v12zM30 102V82h10v20zM46 102V86h10v16zM62 102V78h10v24z" fill="${colour}"/></g>`;

/** Draws bars as high as a sound is loud. */
const bars = [22, 44, 76, 50, 104, 132, 90, 118, 66, 96, 54, 30];

const TILES = {
  "generate-image": async () => `<defs>${gradient("sky", "#3f4f86", "#f6a56f")}
${gradient("sea", "#c98472", "#24506b")}</defs>
<path d="M0 0h320v134H0z" fill="url(#sky)"/><circle cx="236" cy="118" r="30" fill="#ffdf9e"/>
<path d="M0 132h320v68H0z" fill="url(#sea)"/>
<path d="M206 142h60v3h-60zM216 152h40v3h-40zM224 162h24v3h-24z" fill="#ffdf9e" opacity=".8"/>
<path d="M0 128q70-14 150 4H0z" fill="#4d5f7a"/>
${await drawn("lighthouse", 20, 2, 170, { night: 0.9 })}
<path d="M28 170q80-14 168 0q-10 10-84 10t-84-10z" fill="#1d3f57" opacity=".5"/>`,
  "generate-video": async () => `<defs>${gradient("sky", "#8ecae6", "#fdf0d5")}
${gradient("sea", "#4fb0b5", "#0f6b62")}</defs>
<path d="M0 0h320v126H0z" fill="url(#sky)"/><circle cx="66" cy="46" r="20" fill="#fff6d8"/>
<path d="M190 54q2-12 16-10q8-14 24-7q14-4 16 10q12 0 12 7z" fill="#fff" opacity=".85"/>
<path d="M0 124h320v76H0z" fill="url(#sea)"/><path d="M200 126q50-26 120-18v18z" fill="#5e9a86"/>
${await drawn("sailing-boat", 62, 4, 170)}
<path d="M0 158q20-8 40 0t40 0 40 0 40 0 40 0 40 0 40 0 40 0v42H0z" fill="#0f6b62" opacity=".55"/>
<path d="M0 176q20-8 40 0t40 0 40 0 40 0 40 0 40 0 40 0 40 0v24H0z" fill="#0b564f" opacity=".6"/>${PLAY}`,
  "process-video": async () => `<defs>${gradient("sky", "#79b9dd", "#fdeccb")}
${gradient("sea", "#3fa3ae", "#1f7d88")}</defs>
<path d="M0 0h320v200H0z" fill="#20302c"/>
<svg x="0" y="26" width="320" height="148" viewBox="0 26 320 148">
<path d="M0 0h320v110H0z" fill="url(#sky)"/><circle cx="60" cy="60" r="17" fill="#fff3cf"/>
<path d="M0 100h320v30H0z" fill="url(#sea)"/><path d="M170 102q60-36 150-20v20z" fill="#5e9a86"/>
<path d="M0 126h320v10H0z" fill="#efd9a7"/><path d="M0 134h320v66H0z" fill="#57635f"/>
<path d="M14 160h40v5H14zM84 160h40v5H84zM154 160h40v5h-40zM224 160h40v5h-40zM294 160h40v5h-40z" fill="#f6e7c8"/>
${await drawn("car", 54, 40, 130)}</svg>
<g fill="#f6e7c8" opacity=".9">${Array.from(
    { length: 12 },
    (_, index) =>
      `<rect x="${8 + index * 27}" y="8" width="14" height="10" rx="2"/>` +
      `<rect x="${8 + index * 27}" y="182" width="14" height="10" rx="2"/>`,
  ).join("")}</g>
<path d="M218 10v180" stroke="#fff" stroke-width="4" stroke-dasharray="9 7"/>
<g transform="translate(218 100)"><circle r="22" fill="#fff"/><g fill="none" stroke="#0f6b62"
 stroke-width="3" stroke-linecap="round">${ICONS.cut}</g></g>`,
  "process-image":
    async () => `<defs>${gradient("wall", "#b2d7d7", "#98c5c8")}</defs>
<path d="M0 0h160v200H0z" fill="url(#wall)"/>${checks(160, 0, 160, 200)}
${await drawn("lamp", 67, 6, 186, { halo: 0 })}
<path d="M160 0v200" stroke="#fff" stroke-width="4"/><circle cx="160" cy="100" r="15" fill="#fff"/>
<path d="M156 94l-6 6 6 6M164 94l6 6-6 6" fill="none" stroke="#0f6b62" stroke-width="2.500"
 stroke-linecap="round" stroke-linejoin="round"/>`,
  "process-asset":
    async () => `<defs>${gradient("desk", "#dcebe7", "#bcd8d2")}</defs>
<path d="M0 0h320v200H0z" fill="url(#desk)"/>
<g transform="rotate(-7 90 100)">${sheet(34, 40, "#e07a3f")}</g>
<g transform="rotate(5 130 100)">${sheet(82, 46, "#24506b")}</g>
<path d="M186 100h26m-10-10l10 10-10 10" fill="none" stroke="#0f6b62" stroke-width="5"
 stroke-linecap="round" stroke-linejoin="round"/>${sheet(222, 44, "#0f6b62")}`,
  "process-audio": async () => `<defs>${gradient("wall", "#fbf0da", "#f3d9ae")}
${gradient("bar", "#f0955a", "#d9602f")}${gradient("rest", "#f4c69c", "#ecb184")}</defs>
<path d="M0 0h320v200H0z" fill="url(#wall)"/>
${bars
  .map(
    (height, index) =>
      `<rect x="${28 + index * 23}" y="${100 - height / 2}" width="13" height="${height}" rx="6.500"
 fill="url(#${index < 7 ? "bar" : "rest"})"/>`,
  )
  .join("")}
<path d="M189 22v156" stroke="#0f6b62" stroke-width="3" stroke-linecap="round"/>
<circle cx="189" cy="100" r="12" fill="#0f6b62"/>`,
  "pipeline-make-a-film":
    async () => `<defs>${gradient("sky", "#7ea6dd", "#ffd2ae")}
${gradient("far", "#b79bb4", "#e6b39c")}${gradient("near", "#4f7f8a", "#2f5f63")}</defs>
<path d="M0 0h320v200H0z" fill="url(#sky)"/><circle cx="248" cy="112" r="24" fill="#fff3cf"/>
<path d="M0 150l50-52 34 30 46-64 52 62 40-34 52 46 46-26v88H0z" fill="url(#far)"/>
<path d="M130 64l-18 25 14 4 8-6 16 2zM50 98l-13 14 12 3 13-5z" fill="#fff" opacity=".75"/>
<path d="M0 168l70-36 60 30 70-40 60 34 60-26v70H0z" fill="url(#near)"/>
${await drawn("hot-air-balloon", 92, 6, 128)}${steps("picture", "play", "note")}`,
  "pipeline-product-clip":
    async () => `<defs>${gradient("wall", "#3f9488", "#0f6b62")}
<radialGradient id="light"><stop stop-color="#fff3cf" stop-opacity=".55"/>
<stop offset="1" stop-color="#fff3cf" stop-opacity="0"/></radialGradient></defs>
<path d="M0 0h320v200H0z" fill="url(#wall)"/><path d="M0 150h320v50H0z" fill="#0b534c"/>
<circle cx="160" cy="76" r="110" fill="url(#light)"/>
<ellipse cx="160" cy="146" rx="86" ry="12" fill="#062f2b" opacity=".5"/>
<path d="M88 128h144v10q0 12-72 12t-72-12z" fill="#f3d9ae"/>
<ellipse cx="160" cy="128" rx="72" ry="10" fill="#fbf0da"/>
${await drawn("lamp", 94, 0, 134)}${steps("cut", "play", "note")}`,
};

for (const [name, draw] of Object.entries(TILES)) {
  const drawing = svg(320, 200, await draw());
  // Biome demands a title of each svg element.
  const titled = drawing.replaceAll(
    /(<svg [^>]*>)/g,
    `$1<title>${name.replaceAll("-", " ")}</title>`,
  );
  await writeFile(`${tiles}${name}.svg`, titled.replaceAll(/>\s+</g, "><"));
}
