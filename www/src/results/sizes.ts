import { formatDuration } from "mediagate/words";

export function pixelsOf({
  naturalWidth,
  naturalHeight,
}: HTMLImageElement): string {
  return `${naturalWidth} × ${naturalHeight} pixels`;
}

/** Describes a recording. A sound has no size, and a stream may have no duration. */
export function recordingFacts(player: HTMLMediaElement): string {
  const { duration } = player;
  const facts = Number.isFinite(duration)
    ? [formatDuration(duration * 1000)]
    : [];
  if (player instanceof HTMLVideoElement && player.videoWidth > 0)
    facts.unshift(`${player.videoWidth} × ${player.videoHeight} pixels`);
  return facts.join(" · ");
}
