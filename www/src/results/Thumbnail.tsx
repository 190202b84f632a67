/** A small picture of a result or a file, or the icon of its medium. */
import { Icon } from "../parts/Icon";
import { iconOf } from "../parts/media";
import { useBroken } from "../parts/useBroken";

interface ThumbnailSource {
  url: string;
  kind: string | undefined;
}

export function Thumbnail({ of: { url, kind } }: { of: ThumbnailSource }) {
  const [broken, setBroken] = useBroken();
  const onError = () => setBroken(true);
  if (kind === "image" && !broken)
    return (
      <img
        class="thumbnail checkered"
        src={url}
        alt=""
        loading="lazy"
        onError={onError}
      />
    );
  if (kind === "video" && !broken)
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
      <Icon of={iconOf(kind)} size={18} />
    </span>
  );
}
