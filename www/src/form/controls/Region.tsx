/** A rectangle of a picture or of a video's frame, drawn on it or entered in pixels. */
import { isWithoutArea } from "mediagate/forms";
import { useChunk } from "../../parts/useLoaded";
import { urlOf } from "../../results/urls";
import { type Rectangle, SIDES } from "../rectangle";
import type { ControlProps } from "./control";
import { Pixels } from "./Pixels";

/** The control of a region. The value is `{x, y, width, height}`; `undefined` if all are blank. */
export function Region({ value, set, ...props }: ControlProps) {
  const { source: chosen } = props;
  // A task that still runs has no picture yet.
  const source =
    chosen instanceof File || (chosen && urlOf(chosen)) ? chosen : undefined;
  const region = (value ?? {}) as Rectangle;
  const drawing = useChunk(
    () => import("./RegionDrawing"),
    source !== undefined,
  );
  const change = (name: keyof Rectangle, number: number | undefined) => {
    const changed = Object.entries({ ...region, [name]: number }).filter(
      ([, side]) => side !== undefined,
    );
    set(changed.length > 0 ? Object.fromEntries(changed) : undefined);
  };
  return (
    <>
      {drawing && source && (
        <drawing.RegionDrawing
          key={source}
          {...{ source, region }}
          change={set}
        />
      )}
      <Pixels
        {...props}
        names={SIDES}
        path={(name) => `.${name}`}
        read={(name) => region[name]}
        change={change}
      />
      {isWithoutArea(region) && (
        <p class="facts">Without a width and a height, no region is sent.</p>
      )}
    </>
  );
}
