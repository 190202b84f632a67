// Parts of the drawings of `draw-examples.mjs` and `draw-tiles.mjs`.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const drawings = fileURLToPath(
  new URL("../../crates/emulator/art/subjects/", import.meta.url),
);

export const svg = (width, height, content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
  `viewBox="0 0 ${width} ${height}">${content}</svg>`;

/**
 * Returns a drawing of the emulator, as an element of this size.
 *
 * @param {string} name
 * @param {number} x
 * @param {number} y
 * @param {number} side
 * @param {object} [light]
 * @param {number} [light.night] the darkness, from 0 to 1; windows and lamps are lit as much
 * @param {number} [light.halo] the opacity of the light around a lamp, from 0 to 1
 */
export async function drawn(name, x, y, side, { night = 0, halo = 0.75 } = {}) {
  const text = await readFile(`${drawings}${name}.svg`, "utf8");
  const filled = text
    .replaceAll("{glow}", "#fff1c2")
    .replaceAll("{night}", String(night))
    .replace(/(lamp-light".+?stop-opacity=")[\d.]+/, `$1${halo}`)
    .replaceAll(/\{colour:(#\w+)\}/g, "$1");
  const place = `x="${x}" y="${y}" width="${side}" height="${side}"`;
  return filled.replace("<svg ", `<svg ${place} `);
}

/** Defines a gradient, by default from the top to the bottom. */
export const gradient = (id, from, to, direction = 'x2="0" y2="1"') =>
  `<linearGradient id="${id}" ${direction}><stop stop-color="${from}"/>` +
  `<stop offset="1" stop-color="${to}"/></linearGradient>`;
