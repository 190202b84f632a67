/** The size of a video, against the one that it has. */
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

/** The size that a video is to have. `actual` is `undefined` if unknown. */
export function checkNewSize(
  { width, height }: Partial<Size>,
  actual: Size | undefined,
): Issue[] {
  const odd = SIDES.flatMap((it) => checkEven(it, { width, height }[it]));
  const isWhole = isSide(width) && isSide(height);
  return actual && isWhole
    ? [...odd, ...checkShape({ width, height }, actual)]
    : odd;
}

/** The size that a video is said to have. */
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

function isSide(it: unknown): it is number {
  return typeof it === "number" && it >= 1;
}

/** Encoders round odd sides down. */
function checkEven(
  side: (typeof SIDES)[number],
  pixels: number | undefined,
): Issue[] {
  if (!isSide(pixels) || !Number.isInteger(pixels) || pixels % 2 === 0)
    return [];
  const even = Math.max(pixels - 1, 2);
  return [
    warning(
      side,
      "odd",
      `is odd, and videos have even sides: the result has ${even} pixels`,
    ),
  ];
}

/** A size of another shape stretches the picture; less than two pixels are a matter of rounding. */
function checkShape(size: Size, actual: Size): Issue[] {
  const fitting = (size.width * actual.height) / actual.width;
  const isNear =
    Math.abs(fitting - size.height) < 2 ||
    Math.abs(size.height / fitting - 1) < 0.005;
  if (isNear) return [];
  const even = Math.max(2, Math.round(fitting / 2) * 2);
  const message = `is of another shape than the video, ${sizeText(actual)}, so the picture is stretched; ${even} fits this width`;
  return [warning("height", "shape", message)];
}
