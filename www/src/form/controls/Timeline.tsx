/** A video with its frames in a row, and below them a range on the same scale for each part. */
import noUiSlider, { type API } from "nouislider";
import { useEffect, useRef } from "preact/hooks";
import type { Chosen } from "../../results/reference";
import { useChosenUrl } from "../../results/useChosenUrl";
import "../../style/timeline.css";
import { drawFrames } from "../video";

const FRAMES = 8;

/** The video and its frames; `at` is the second to show. */
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
    if (frames.current)
      void drawFrames(source, frames.current, FRAMES, controller.signal).catch(
        () => undefined,
      );
    return () => controller.abort();
  }, [source]);
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
  /** Names the two handles for screen readers. */
  name: string;
  /** Whole seconds: the two ends of the range, and the length of the scale. */
  from: number;
  to: number;
  length: number;
  /** Whether the handles are where the part's times are. */
  following: boolean;
  change(from: number, to: number): void;
}

/** One part, on the scale of the whole video. */
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
  // Also what the slider has sent since the last render: an effect of that render must not set it back.
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
      // The slider ignores the pointer while it animates. So it never does: neither when set, nor, with `snap`, when a
      // person presses beside a handle.
      animate: false,
      behaviour: "drag-snap",
      keyboardDefaultStep: 1,
      handleAttributes: [
        { "aria-label": `Start of ${name}, seconds` },
        { "aria-label": `End of ${name}, seconds` },
      ],
    });
    // Only changes by a person: `slide` is not sent for `set`.
    created.on("slide", (_, __, [start = 0, end = 0]) => {
      range.current = [Math.round(start), Math.round(end)];
      latest.current(Math.round(start), Math.round(end));
    });
    slider.current = created;
    return () => created.destroy();
  }, [length, name]);
  // After every render: the same times may be set again after the slider has moved.
  useEffect(() => slider.current?.set(range.current, false));
  return <div ref={container} class="range" data-following={following} />;
}

function useLatest<T>(value: T) {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
