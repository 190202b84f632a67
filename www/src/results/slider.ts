/** The slider between two pictures or videos. */
import type { HTMLImgComparisonSliderElement } from "img-comparison-slider";
import { useState } from "preact/hooks";

/** The largest difference of aspect ratios that comes from rounding a size to whole pixels. */
export const TOLERANCE = 0.02;

/** Returns the properties of the slider. */
export function useSlider(name: string) {
  const [share, setShare] = useState(50);
  return {
    class: "checkered",
    role: "slider",
    "aria-label": `Before and after ${name}`,
    "aria-valuemin": 0,
    "aria-valuemax": 100,
    "aria-valuenow": share,
    "aria-valuetext": `${share} % before`,
    onslide: ({ currentTarget }: Event) => {
      const { value } = currentTarget as HTMLImgComparisonSliderElement;
      setShare(Math.round(Number(value)));
    },
  } as const;
}
