import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { iconOf } from "../parts/media";
import { useBroken } from "../parts/useBroken";
import { useInView } from "../parts/useInView";
import { useObjectUrl } from "../parts/useObjectUrl";
import { knownFrame, loadFrame } from "./frames";

interface ThumbnailProps {
  /** The picture or video; without a URL, the icon is shown. */
  source: { url?: string | undefined; kind: string | undefined };
  /** The medium of the icon, by default the kind. */
  medium?: string | undefined;
  class?: string;
}

export function Thumbnail({
  source: { url, kind },
  medium = kind,
  class: name = "thumbnail",
}: ThumbnailProps) {
  const [broken, setBroken] = useBroken();
  // Some browsers would offer the address of the shown picture instead.
  const offer = (event: DragEvent) => {
    if (url) event.dataTransfer?.setData("text/uri-list", url);
  };
  const common = {
    class: name,
    "data-medium": medium,
    draggable: url !== undefined,
    onDragStart: offer,
    onError: () => setBroken(true),
  };
  if (kind === "image" && url && !broken)
    return (
      <img
        {...common}
        class={`${name} checkered`}
        src={url}
        alt=""
        loading="lazy"
      />
    );
  if (kind === "video" && url && !broken)
    return <Frame key={url} {...common} url={url} />;
  return (
    <span {...common}>
      <Icon icon={iconOf(medium)} size={20} />
    </span>
  );
}

interface FrameProps {
  url: string;
  class: string;
  "data-medium": string | undefined;
  draggable: boolean;
  onDragStart(event: DragEvent): void;
  onError(): void;
}

/** The first frame of a video. A video whose pixels the page may not read plays while in view. */
function Frame({ url, onError, ...common }: FrameProps) {
  const { isInView, observe } = useInView();
  const [picture, setPicture] = useState(() => knownFrame(url));
  const [isUnreadable, setUnreadable] = useState(false);
  const pictureUrl = useObjectUrl(picture);
  const isNeeded = isInView && !picture && !isUnreadable;
  useEffect(() => {
    if (!isNeeded) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    loadFrame(url, signal).then(
      (loaded) => (loaded ? setPicture(loaded) : setUnreadable(true)),
      () => !signal.aborted && setUnreadable(true),
    );
    return () => controller.abort();
  }, [url, isNeeded]);
  if (pictureUrl) return <img {...common} src={pictureUrl} alt="" />;
  if (isUnreadable && isInView)
    return (
      <video
        {...common}
        ref={observe}
        src={url}
        muted
        playsInline
        preload="metadata"
        onError={onError}
      />
    );
  return (
    <span {...common} ref={observe}>
      <Icon icon={iconOf("video")} size={20} />
    </span>
  );
}
