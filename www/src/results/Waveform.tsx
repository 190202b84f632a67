/**
 * A picture of a sound with the played part. A press moves the player there. Screen readers and
 * keys use the controls of the player below.
 */
import { useEffect, useState } from "preact/hooks";
import { useLoaded } from "../parts/useLoaded";
import { peaksOf } from "./peaks";

const BARS = 120;

/** The least height of a bar, in per cent, so that silence shows as a line. */
const LEAST = 3;

interface WaveformProps {
  source: Blob | string;
  player: HTMLMediaElement | undefined;
}

export function Waveform({ source, player }: WaveformProps) {
  const peaks = useLoaded(() => peaksOf(source, BARS), [source]);
  const share = usePlayedShare(player);
  if (!peaks) return null;
  const seek = (event: MouseEvent) => {
    if (!player || !Number.isFinite(player.duration)) return;
    const { left, width } = (
      event.currentTarget as Element
    ).getBoundingClientRect();
    player.currentTime = ((event.clientX - left) / width) * player.duration;
  };
  return (
    <svg
      class="waveform"
      viewBox={`0 0 ${BARS} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onClick={seek}
    >
      {peaks.map((peak, index) => {
        const height = Math.max(LEAST, peak * 100);
        return (
          <rect
            key={index}
            data-played={index < share * BARS}
            x={index + 0.15}
            y={(100 - height) / 2}
            width={0.7}
            height={height}
          />
        );
      })}
    </svg>
  );
}

function usePlayedShare(player: HTMLMediaElement | undefined): number {
  const [share, setShare] = useState(0);
  useEffect(() => {
    if (!player) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const update = () =>
      setShare(player.duration > 0 ? player.currentTime / player.duration : 0);
    update();
    for (const name of ["timeupdate", "seeking", "loadedmetadata"])
      player.addEventListener(name, update, { signal });
    return () => controller.abort();
  }, [player]);
  return share;
}
