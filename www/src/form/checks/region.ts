import type { Issue } from "mediagate";
import { type Rectangle, SIDES } from "../rectangle";
import { error, warning } from "./issue";
import { type Size, sizeText } from "./size";

export function checkRegion(
  path: string,
  region: Rectangle,
  frame: Size,
): Issue[] {
  const { x, y, width, height } = region;
  // The validator reports a side that is missing or is no number.
  if (
    SIDES.some(
      (side) => typeof region[side] !== "number" || Number.isNaN(region[side]),
    )
  )
    return [];
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

function spanOf(
  start = 0,
  length = 0,
  whole = 0,
): "inside" | "partly" | "outside" {
  if (start >= whole || start + length <= 0) return "outside";
  return start >= 0 && start + length <= whole ? "inside" : "partly";
}
