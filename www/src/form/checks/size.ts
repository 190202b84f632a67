import type { Issue } from "mediagate";
import { warning } from "./issue";

export interface Size {
  width: number;
  height: number;
}

const SIDES = ["width", "height"] as const;

export function sizeText({ width, height }: Size): string {
  return `${width} × ${height}`;
}

/** Returns the issues of a video's new size. `actual` is `undefined` if unknown. */
export function checkNewSize(
  { width, height }: Partial<Size>,
  actual: Size | undefined,
): Issue[] {
  const odd = SIDES.flatMap((side) => checkEven(side, { width, height }[side]));
  const isWhole = isSide(width) && isSide(height);
  return actual && isWhole
    ? [...odd, ...checkShape({ width, height }, actual)]
    : odd;
}

export function checkOwnSize(
  path: string,
  size: readonly unknown[],
  { width, height }: Size,
): Issue[] {
  if (
    size.length !== 2 ||
    !size.every(isSide) ||
    (size[0] === width && size[1] === height)
  )
    return [];
  return [
    warning(
      path,
      "out_of_range",
      `is not the size of the chosen video, ${sizeText({ width, height })}`,
    ),
  ];
}

function isSide(value: unknown): value is number {
  return typeof value === "number" && value >= 1;
}

function checkEven(
  side: (typeof SIDES)[number],
  pixels: number | undefined,
): Issue[] {
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
