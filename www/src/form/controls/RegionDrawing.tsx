/** The picture or video frame on which a region is drawn. Another source needs another key. */
import { useState } from "preact/hooks";
import ReactCrop, { type PercentCrop } from "react-image-crop";
import "react-image-crop/dist/ReactCrop.css";
import "../../style/region.css";
import { type Chosen, mediumOf } from "../../results/reference";
import { useChosenUrl } from "../../results/urls";
import { type Rectangle, SIDES, type Size } from "../rectangle";

interface RegionDrawingProps {
  source: Chosen;
  region: Rectangle;
  change(region: Rectangle | undefined): void;
}

export function RegionDrawing({ source, region, change }: RegionDrawingProps) {
  const [size, setSize] = useState<Size>();
  const [isBroken, setBroken] = useState(false);
  // The exact rectangle. `region` is rounded to whole pixels, and blank until it has an area.
  const [drawn, setDrawn] = useState<PercentCrop>();
  // On a touch screen, a swipe over the picture scrolls the page until drawing is turned on.
  const [isDrawing, setDrawing] = useState(
    () => !matchMedia("(pointer: coarse)").matches,
  );
  const crop =
    size &&
    (drawn && isSame(inPixels(drawn, size), region)
      ? drawn
      : inPercent(region, size));
  const draw = (_: unknown, next: PercentCrop) => {
    setDrawn(next);
    if (size) change(inPixels(next, size));
  };
  // The URL of a result may have expired: the numbers below can still be entered.
  if (isBroken) return null;
  return (
    <div class="drawing">
      <ReactCrop
        {...(crop && { crop })}
        onChange={draw}
        disabled={!size || !isDrawing}
        ruleOfThirds={false}
      >
        <Frame
          source={source}
          onSize={setSize}
          onError={() => setBroken(true)}
        />
      </ReactCrop>
      {!isDrawing && (
        <button type="button" onClick={() => setDrawing(true)}>
          Draw on the picture
        </button>
      )}
      {size && (
        <p class="facts">
          {size.width} × {size.height} pixels. Draw a rectangle, or leave it
          out.
        </p>
      )}
    </div>
  );
}

interface FrameProps {
  source: Chosen;
  onSize(size: Size): void;
  onError(): void;
}

function Frame({ source, onSize, onError }: FrameProps) {
  const url = useChosenUrl(source);
  if (mediumOf(source) !== "video") {
    return (
      <img
        src={url}
        alt=""
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          onSize({ width: naturalWidth, height: naturalHeight })
        }
        onError={onError}
      />
    );
  }
  return (
    <video
      src={url}
      muted
      playsInline
      preload="auto"
      onLoadedMetadata={({ currentTarget: video }) => {
        // The first frame of many videos is black.
        video.currentTime = video.duration / 3;
        onSize({ width: video.videoWidth, height: video.videoHeight });
      }}
      onError={onError}
    />
  );
}

/** Converts a region into pixels; `undefined` if it has none, such as after a click. */
function inPixels(crop: PercentCrop, size: Size): Rectangle | undefined {
  const [x, width] = toPixels(crop.x, crop.width, size.width);
  const [y, height] = toPixels(crop.y, crop.height, size.height);
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

function isSame(one: Rectangle = {}, other: Rectangle): boolean {
  return SIDES.every((side) => one[side] === other[side]);
}

function toPixels(
  start: number,
  length: number,
  whole: number,
): [start: number, length: number] {
  const first = Math.round((start / 100) * whole);
  return [first, Math.min(Math.round((length / 100) * whole), whole - first)];
}

function inPercent(
  { x, y, width, height }: Rectangle,
  size: Size,
): PercentCrop | undefined {
  if (x === undefined || y === undefined || !width || !height) return undefined;
  if (!isWithin(x, width, size.width) || !isWithin(y, height, size.height))
    return undefined;
  const across = 100 / size.width;
  const down = 100 / size.height;
  return {
    unit: "%",
    x: x * across,
    y: y * down,
    width: width * across,
    height: height * down,
  };
}

function isWithin(start: number, length: number, whole: number): boolean {
  return start >= 0 && length > 0 && start + length <= whole;
}
