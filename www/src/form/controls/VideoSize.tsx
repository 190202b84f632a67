/** The size of a video, `[width, height]`; both blank is none. */
import { useLoaded } from "../../parts/useLoaded";
import { videoInfo } from "../video";
import { Pixels } from "./Pixels";
import { invalidAt, type ControlProps } from "./control";

const SIDES = ["width", "height"] as const;
type Side = (typeof SIDES)[number];

export function VideoSize({ value, set, ...props }: ControlProps) {
  const size = (Array.isArray(value) ? value : [undefined, undefined]) as (number | undefined)[];
  const { source } = props;
  const own = useLoaded(async () => source && videoInfo(source), [source]);
  const at = (name: Side) => SIDES.indexOf(name);
  const change = (name: Side, number: number | undefined) => {
    const changed = size.with(at(name), number);
    set(changed.some((it) => it !== undefined) ? changed : undefined);
  };
  return (
    <>
      <Pixels
        {...props}
        names={SIDES}
        whole={invalidAt(props.issues, props.field.name)}
        path={(name) => `[${at(name)}]`}
        read={(name) => size[at(name)]}
        change={change}
      />
      {own && (
        <button type="button" class="quiet small" onClick={() => set([own.width, own.height])}>
          As the video is: {own.width} × {own.height}
        </button>
      )}
    </>
  );
}
