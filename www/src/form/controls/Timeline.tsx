/** A video, its frames in a row, and a range for each part on the scale of the frames. */
import { drawFrames } from "mediagate/preview";
import noUiSlider, { type API } from "nouislider";
import { useEffect, useRef } from "preact/hooks";
import type { Chosen } from "../../results/reference";
import { useChosenUrl } from "../../results/urls";
import "../../style/timeline.css";

/** The number of frames in the row, which the canvas below has room for. */
const FRAMES = 8;

/** The video and its frames. The player shows the frame at the second `at`. */
export function Film({
  source,
  at,
}: {
  source: Chosen;
  at: number | undefined;
}) {
  const url = useChosenUrl(source);
  const video = useRef<HTMLVideoElement>(null);
  const frames = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (frames.current)
      void drawFrames({ url }, frames.current, FRAMES, { signal }).catch(
        () => undefined,
      );
    return () => controller.abort();
  }, [url]);
  useEffect(() => {
    if (video.current && at !== undefined) video.current.currentTime = at;
  }, [at]);
  return (
    <>
      <video
        ref={video}
        class="film"
        src={url}
        controls
        muted
        playsInline
        preload="auto"
        aria-label={source.name}
      />
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas without tabIndex takes no focus */}
      <canvas
        ref={frames}
        class="frames"
        width={1120}
        height={96}
        aria-hidden="true"
      />
    </>
  );
}

interface RangeProps {
  name: string;
  /** The two ends of the range and the length of the scale, in whole seconds. */
  from: number;
  to: number;
  length: number;
  /** True if the handles are at the times of the part. */
  following: boolean;
  change(from: number, to: number): void;
}

export function Range({
  name,
  from,
  to,
  length,
  following,
  change,
}: RangeProps) {
  const container = useRef<HTMLDivElement>(null);
  const slider = useRef<API>(undefined);
  const latest = useLatest(change);
  // The slider may move between a render and its effect, which must not set it back.
  const range = useLatest([from, to]);
  useEffect(() => {
    const { current } = container;
    if (!current) return undefined;
    const created = noUiSlider.create(current, {
      start: range.current,
      connect: true,
      step: 1,
      margin: 1,
      range: { min: 0, max: length },
      // The slider ignores the pointer while it animates. `snap` avoids the animation after a press
      // beside a handle.
      animate: false,
      behaviour: "drag-snap",
      keyboardDefaultStep: 1,
      handleAttributes: [
        { "aria-label": `Start of ${name}, seconds` },
        { "aria-label": `End of ${name}, seconds` },
      ],
    });
    // `slide` reports only changes by a person, so `set` causes no loop.
    created.on("slide", (_, __, [start = 0, end = 0]) => {
      range.current = [Math.round(start), Math.round(end)];
      latest.current(Math.round(start), Math.round(end));
    });
    slider.current = created;
    return () => created.destroy();
  }, [length, name]);
  // Runs after every render: if the times are refused, the slider has to move back.
  useEffect(() => slider.current?.set(range.current, false));
  return <div ref={container} class="range" data-following={following} />;
}

function useLatest<T>(value: T) {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
