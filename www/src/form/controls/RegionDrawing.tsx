/** The picture or the video's frame on which a region is drawn. */
import { useState } from "preact/hooks";
import ReactCrop, { type PercentCrop } from "react-image-crop";
import "react-image-crop/dist/ReactCrop.css";
import "../../style/region.css";
import { useObjectUrl } from "../../parts/useObjectUrl";
import { SIDES, type Rectangle } from "../rectangle";

interface Size {
  width: number;
  height: number;
}

interface RegionDrawingProps {
  source: File;
  region: Rectangle;
  change(region: Rectangle | undefined): void;
}

export function RegionDrawing({ source, region, change }: RegionDrawingProps) {
  const [known, setKnown] = useState<{ of: File; size: Size }>();
  const size = known?.of === source ? known.size : undefined;
  // Drawing begins with nothing, which is no region yet; and between two pixels the rectangle must not jump.
  const [drawn, setDrawn] = useState<PercentCrop>();
  const crop = size && (drawn && isSame(inPixels(drawn, size), region) ? drawn : inPercent(region, size));
  const draw = (_: unknown, next: PercentCrop) => {
    setDrawn(next);
    if (size) change(inPixels(next, size));
  };
  return (
    <div class="drawing">
      <ReactCrop {...(crop && { crop })} onChange={draw} disabled={!size} ruleOfThirds={false}>
        <Frame source={source} known={(it) => setKnown({ of: source, size: it })} />
      </ReactCrop>
      {size && (
        <p class="facts">
          {size.width} × {size.height} pixels. Draw a rectangle, or leave it out.
        </p>
      )}
    </div>
  );
}

function Frame({ source, known }: { source: File; known(size: Size): void }) {
  const url = useObjectUrl(source);
  if (!source.type.startsWith("video/")) {
    return <img src={url} alt="" onLoad={({ currentTarget: it }) => known({ width: it.naturalWidth, height: it.naturalHeight })} />;
  }
  // The first frame of many videos is black.
  const onLoadedMetadata = ({ currentTarget: it }: { currentTarget: HTMLVideoElement }) => {
    it.currentTime = it.duration / 3;
    known({ width: it.videoWidth, height: it.videoHeight });
  };
  return <video src={url} muted playsInline preload="auto" onLoadedMetadata={onLoadedMetadata} />;
}

/** What is too small to be seen is a click, and no region. */
function inPixels(crop: PercentCrop, size: Size): Rectangle | undefined {
  const [x, width] = along(crop.x, crop.width, size.width);
  const [y, height] = along(crop.y, crop.height, size.height);
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

function isSame(one: Rectangle = {}, other: Rectangle): boolean {
  return SIDES.every((it) => one[it] === other[it]);
}

/** Whole pixels, never beyond the edge. */
function along(start: number, length: number, whole: number): [start: number, length: number] {
  const first = Math.round((start / 100) * whole);
  return [first, Math.min(Math.round((length / 100) * whole), whole - first)];
}

function inPercent({ x, y, width, height }: Rectangle, size: Size): PercentCrop | undefined {
  if (!isWithin(x, width, size.width) || !isWithin(y, height, size.height)) return undefined;
  const [across, down] = [100 / size.width, 100 / size.height];
  return { unit: "%", x: Number(x) * across, y: Number(y) * down, width: Number(width) * across, height: Number(height) * down };
}

function isWithin(start = Number.NaN, length = Number.NaN, whole: number): boolean {
  return start >= 0 && length > 0 && start + length <= whole;
}
