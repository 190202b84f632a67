import type { FileFacts } from "../types/facts.js";
import type { Issue } from "../types/issues.js";
import { warning } from "./issue.js";

export interface Size {
  width: number;
  height: number;
}

const SIDES = ["width", "height"] as const;

/** Returns the size of a picture or of a video's frame; `undefined` if it is unknown. */
export function sizeOf({ width, height }: FileFacts): Size | undefined {
  return width && height ? { width, height } : undefined;
}

export function sizeText({ width, height }: Size): string {
  return `${width} × ${height}`;
}

/** Returns the issues of a video's new size. `actual` is `undefined` if unknown. */
export function checkNewSize(
  { width, height }: { width?: unknown; height?: unknown },
  actual: Size | undefined,
): Issue[] {
  const odd = SIDES.flatMap((side) => checkEven(side, { width, height }[side]));
  return actual && isSide(width) && isSide(height)
    ? [...odd, ...checkShape({ width, height }, actual)]
    : odd;
}

export function checkOwnSize(
  path: string,
  size: unknown,
  actual: Size | undefined,
): Issue[] {
  if (!actual || !Array.isArray(size) || size.length !== 2) return [];
  const [width, height] = size;
  const isActual = width === actual.width && height === actual.height;
  if (!isSide(width) || !isSide(height) || isActual) return [];
  return [
    warning(
      path,
      "out_of_range",
      `is not the size of the chosen video, ${sizeText(actual)}`,
    ),
  ];
}

function isSide(value: unknown): value is number {
  return typeof value === "number" && value >= 1;
}

function checkEven(side: (typeof SIDES)[number], pixels: unknown): Issue[] {
  if (!isSide(pixels) || !Number.isInteger(pixels) || pixels % 2 === 0)
    return [];
  // Encoders round odd sides down.
  const even = Math.max(pixels - 1, 2);
  return [
    warning(
      side,
      "odd",
      `is odd, and videos have even sides: the result has ${even} pixels`,
    ),
  ];
}

/** Warns of a size with another aspect ratio, which stretches the picture. */
function checkShape(size: Size, actual: Size): Issue[] {
  const fitting = (size.width * actual.height) / actual.width;
  // Even sides need rounding: that moves a side by less than two pixels.
  const isNear =
    Math.abs(fitting - size.height) < 2 ||
    Math.abs(size.height / fitting - 1) < 0.005;
  if (isNear) return [];
  const even = Math.max(2, Math.round(fitting / 2) * 2);
  const shape = `does not have the shape of the video, ${sizeText(actual)}`;
  const message = `${shape}, so it is stretched; ${even} fits this width`;
  return [warning("height", "shape", message)];
}
