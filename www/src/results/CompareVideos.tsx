/** Two videos under one slider, without sound, which play together. */
import "img-comparison-slider";
import { ChevronsLeftRight, Pause, Play } from "lucide";
import { formatDuration } from "mediagate/words";
import { h } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import "../style/compare.css";
import { TOLERANCE, useSlider } from "./slider";

/** The largest difference of two durations or positions that nobody notices, in seconds. */
const DRIFT = 0.2;

interface CompareVideosProps {
  before: string;
  after: string;
  name: string;
  onError(): void;
  /** Called if the two videos differ in aspect ratio or duration, or the original does not load. */
  onMismatch(): void;
}

export function CompareVideos({
  before,
  after,
  name,
  onError,
  onMismatch,
}: CompareVideosProps) {
  const original = useRef<HTMLVideoElement>(null);
  const result = useRef<HTMLVideoElement>(null);
  const slider = useSlider(name);
  const [isPlaying, setPlaying] = useState(false);
  const [time, setTime] = useState(0);
  const [duration, setDuration] = useState(0);
  const [ratio, setRatio] = useState<number>();
  const loaded = () => {
    const [one, other] = [original.current, result.current];
    if (!one?.videoWidth || !other?.videoWidth) return;
    const isAlike =
      Math.abs(ratioOf(one) / ratioOf(other) - 1) <= TOLERANCE &&
      Math.abs(one.duration - other.duration) <= DRIFT;
    if (!isAlike) return onMismatch();
    setDuration(other.duration);
    setRatio(ratioOf(other));
  };
  /** Moves the original to the time of the result. */
  const follow = () => {
    const [one, other] = [original.current, result.current];
    if (!one || !other) return;
    setTime(other.currentTime);
    if (Math.abs(one.currentTime - other.currentTime) > DRIFT)
      one.currentTime = other.currentTime;
  };
  const common = {
    muted: true,
    playsInline: true,
    loop: true,
    preload: "auto",
    onLoadedMetadata: loaded,
  } as const;
  return (
    <figure class="compare" style={{ "--ratio": ratio }}>
      {h(
        "img-comparison-slider",
        // A video has no transparent parts.
        { ...slider, class: undefined },
        <video
          {...common}
          ref={original}
          slot="first"
          src={before}
          aria-label={`Before ${name}`}
          onError={onMismatch}
        />,
        <video
          {...common}
          ref={result}
          slot="second"
          src={after}
          aria-label={`Result of ${name}`}
          onPlay={() => {
            setPlaying(true);
            void original.current?.play().catch(() => undefined);
          }}
          onPause={() => {
            setPlaying(false);
            original.current?.pause();
          }}
          onTimeUpdate={follow}
          onSeeking={follow}
          onError={onError}
        />,
        <span slot="handle" class="handle">
          <Icon icon={ChevronsLeftRight} />
        </span>,
      )}
      <figcaption class="facts">
        <IconButton
          icon={isPlaying ? Pause : Play}
          title={isPlaying ? "Pause" : "Play"}
          onClick={() => {
            if (isPlaying) result.current?.pause();
            else void result.current?.play().catch(() => undefined);
          }}
        />
        <input
          type="range"
          aria-label={`Position in ${name}`}
          aria-valuetext={formatDuration(time * 1000)}
          min={0}
          max={duration}
          step={0.01}
          value={time}
          onInput={({ currentTarget }) => {
            if (result.current)
              result.current.currentTime = Number(currentTarget.value);
          }}
        />
      </figcaption>
    </figure>
  );
}

const ratioOf = ({ videoWidth, videoHeight }: HTMLVideoElement) =>
  videoWidth / videoHeight;
