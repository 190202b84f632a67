import type { Issue } from "../types/issues.js";
import { error, warning } from "./issue.js";
import { type Size, sizeText } from "./size.js";

const SIDES = ["x", "y", "width", "height"] as const;

type Rectangle = Record<(typeof SIDES)[number], number>;

/** Returns the issues of a region. `frame` is the size of the picture, if it is known. */
export function checkRegion(
  path: string,
  region: unknown,
  frame: Size | undefined,
): Issue[] {
  // The validator reports a side that is missing or is no number, and a region without an area.
  if (!frame || !isRectangle(region)) return [];
  const { x, y, width, height } = region;
  if (width === 0 || height === 0) return [];
  const across = spanOf(x, width, frame.width);
  const down = spanOf(y, height, frame.height);
  const extent = `which is ${sizeText(frame)} pixels`;
  if (across === "outside" || down === "outside") {
    return [
      error(
        path,
        "out_of_range",
        `is outside of the picture, ${extent}; move it into the picture`,
      ),
    ];
  }
  if (across === "inside" && down === "inside") return [];
  return [
    warning(
      path,
      "out_of_range",
      `is partly outside of the picture, ${extent}; only what is inside counts`,
    ),
  ];
}

function isRectangle(value: unknown): value is Rectangle {
  return SIDES.every((side) =>
    Number.isFinite((value as Partial<Rectangle> | null | undefined)?.[side]),
  );
}

function spanOf(
  start: number,
  length: number,
  whole: number,
): "inside" | "partly" | "outside" {
  if (start >= whole || start + length <= 0) return "outside";
  return start >= 0 && start + length <= whole ? "inside" : "partly";
}
