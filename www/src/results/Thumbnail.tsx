/** A small picture of a result or a file, or the icon of its medium. */
import { Icon } from "../parts/Icon";
import { iconOf } from "../parts/media";
import { useBroken } from "../parts/useBroken";

interface ThumbnailSource {
  /** The URL of the picture or video; without one, the icon is shown. */
  url?: string;
  kind: string | undefined;
}

export function Thumbnail({ source }: { source: ThumbnailSource }) {
  const { url, kind } = source;
  const [broken, setBroken] = useBroken();
  const onError = () => setBroken(true);
  if (kind === "image" && url && !broken)
    return (
      <img
        class="thumbnail checkered"
        src={url}
        alt=""
        loading="lazy"
        onError={onError}
      />
    );
  if (kind === "video" && url && !broken)
    return (
      <video
        class="thumbnail"
        src={url}
        muted
        playsInline
        preload="metadata"
        onError={onError}
      />
    );
  return (
    <span class="thumbnail">
      <Icon icon={iconOf(kind)} size={18} />
    </span>
  );
}
