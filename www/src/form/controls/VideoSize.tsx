/** The size of a video, `[width, height]`; `undefined` if both are blank. */
import { useLoaded } from "../../parts/useLoaded";
import { inspect } from "../inspect";
import type { ControlProps } from "./control";
import { Pixels } from "./Pixels";

const SIDES = ["width", "height"] as const;
type Side = (typeof SIDES)[number];

export function VideoSize({ value, set, ...props }: ControlProps) {
  const size = (Array.isArray(value) ? value : [undefined, undefined]) as (
    | number
    | undefined
  )[];
  const { source } = props;
  const actual = useLoaded(
    async () => source && inspect(source, "video"),
    [source],
  );
  const at = (name: Side) => SIDES.indexOf(name);
  const change = (name: Side, number: number | undefined) => {
    const changed = size.with(at(name), number);
    set(changed.some((side) => side !== undefined) ? changed : undefined);
  };
  return (
    <>
      <Pixels
        {...props}
        names={SIDES}
        path={(name) => `[${at(name)}]`}
        read={(name) => size[at(name)]}
        change={change}
      />
      {actual?.width && (
        <button
          type="button"
          class="quiet small"
          onClick={() => set([actual.width, actual.height])}
        >
          Use the video's size: {actual.width} × {actual.height}
        </button>
      )}
    </>
  );
}
