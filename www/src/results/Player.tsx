/** A result, shown by its kind. A processed result is shown with its original. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Chips } from "../parts/Chips";
import { useInView } from "../parts/useInView";
import { useChunk } from "../parts/useLoaded";
import "../style/waveform.css";
import type { Loadable } from "./output";
import type { Chosen } from "./reference";
import { pixelsOf, recordingFacts } from "./sizes";
import { useChosenUrl } from "./urls";

interface PlayerProps {
  output: Loadable;
  /** The file that the result was made from, if it is of the result's kind. */
  original: Chosen | undefined;
  /** True on the stage: a video plays at once, without sound, and one page of a PDF is large. */
  isLarge?: boolean;
  /** Receives the facts of a loaded result: its size in pixels, its duration, or both. */
  describe(facts: string): void;
  onError(): void;
}

export function Player(props: PlayerProps) {
  const { kind } = props.output;
  if (kind === "image") return <Picture {...props} />;
  if (kind === "video" || kind === "audio") return <Recording {...props} />;
  if (kind === "pdf") return <Pdf {...props} />;
  return null;
}

function Picture({
  output: { url, name },
  original,
  describe,
  onError,
}: PlayerProps) {
  const [single, setSingle] = useState(false);
  const compare = useChunk(() => import("./Compare"), original !== undefined);
  if (compare && original && !single) {
    return (
      <compare.Compare
        before={original}
        after={url}
        name={name}
        describe={describe}
        onError={onError}
        onMismatch={() => setSingle(true)}
      />
    );
  }
  return (
    <img
      class="checkered"
      src={url}
      alt={`Result of ${name}`}
      loading="lazy"
      onLoad={({ currentTarget }) => describe(pixelsOf(currentTarget))}
      onError={onError}
    />
  );
}

/** Matches if a person has asked the device for less motion, so that no video plays by itself. */
const still = matchMedia("(prefers-reduced-motion: reduce)");

type Which = "Before" | "After" | "Compare";

const BEFORE_AND_AFTER: readonly Which[] = ["Before", "After"];
const WITH_COMPARISON: readonly Which[] = [...BEFORE_AND_AFTER, "Compare"];

function Recording({
  output,
  original,
  isLarge,
  describe,
  onError,
}: PlayerProps) {
  const before = useChosenUrl(original);
  const [which, setWhich] = useState<Which>("After");
  const [isComparable, setComparable] = useState(output.kind === "video");
  const compare = useChunk(
    () => import("./CompareVideos"),
    which === "Compare",
  );
  const shown = before && which === "Before" ? before : output.url;
  const time = useRef(0);
  const { player, ratio, observe } = useReleased(shown, time);
  const Tag = output.kind === "video" ? "video" : "audio";
  // A video that plays by itself is muted, since browsers play no others.
  const playsAtOnce = isLarge && Tag === "video" && !still.matches;
  const waveform = useChunk(() => import("./Waveform"), Tag === "audio");
  // The page's policy lets it read a file, and not the URL of the file.
  const isFile = which === "Before" && original instanceof File;
  const choose = (name: Which) => {
    // A comparison needs one moment of both recordings.
    time.current = player?.currentTime ?? 0;
    setWhich(name);
  };
  const media = (
    <Tag
      ref={observe}
      src={shown}
      poster={output.poster}
      style={{ aspectRatio: ratio }}
      aria-label={`${which === "After" ? "Result of" : "Before"} ${output.name}`}
      controls
      playsInline
      autoPlay={playsAtOnce}
      muted={playsAtOnce}
      loop={Tag === "video"}
      preload="metadata"
      onLoadedMetadata={({ currentTarget: media }) => {
        media.currentTime = Math.min(time.current, media.duration || 0);
        if (which === "After") describe(recordingFacts(media));
      }}
      onError={onError}
    />
  );
  return (
    <>
      {which === "Compare" && before ? (
        compare && (
          <compare.CompareVideos
            before={before}
            after={output.url}
            name={output.name}
            onError={onError}
            onMismatch={() => {
              setComparable(false);
              setWhich("After");
            }}
          />
        )
      ) : Tag === "video" ? (
        media
      ) : (
        <div class="sound">
          {waveform && (
            <waveform.Waveform
              source={isFile ? original : shown}
              player={player}
            />
          )}
          {media}
        </div>
      )}
      {before && (
        <Chips
          label="Before or after"
          names={isComparable ? WITH_COMPARISON : BEFORE_AND_AFTER}
          chosen={which}
          choose={choose}
        />
      )}
    </>
  );
}

/**
 * Releases a recording that is out of view and that nobody hears, since it takes megabytes.
 *
 * @param time - Receives the time at which the recording goes on.
 */
function useReleased(url: string, time: { current: number }) {
  const { isInView, element, observe } = useInView(true);
  const [ratio, setRatio] = useState("");
  const player = element instanceof HTMLMediaElement ? element : undefined;
  useEffect(() => {
    if (!player) return;
    if (isInView) {
      if (!player.hasAttribute("src")) player.src = url;
      return;
    }
    if (!player.paused && !player.muted) return;
    time.current = player.currentTime;
    // Without its video, an element would shrink, and move the page.
    setRatio(aspectRatioOf(player));
    // Preact would set an empty URL instead, which is an error.
    player.removeAttribute("src");
    player.load();
  }, [isInView]);
  return { player, ratio: isInView ? "" : ratio, observe };
}

function aspectRatioOf(player: HTMLMediaElement): string {
  return player instanceof HTMLVideoElement && player.videoWidth > 0
    ? `${player.videoWidth} / ${player.videoHeight}`
    : "";
}

function Pdf({ output, isLarge, onError }: PlayerProps) {
  const pages = useChunk(() => import("../pdf/Pages"));
  if (!pages) return null;
  const View = isLarge ? pages.PdfView : pages.PageStrip;
  return <View source={output.url} name={output.name} onError={onError} />;
}
