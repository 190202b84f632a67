/** A small picture or video, a player for a sound, or an icon for any other file. */
import { Icon } from "../../parts/Icon";
import { iconOf } from "../../parts/media";
import { useBroken } from "../../parts/useBroken";

interface PreviewProps {
  url: string | undefined;
  /** `image` or `video`; any other type shows only the icon. */
  type: string | undefined;
  /** The medium of the icon. */
  medium: string | undefined;
}

export function Preview({ url, type, medium }: PreviewProps) {
  const [broken, setBroken] = useBroken();
  const onError = () => setBroken(true);
  if (url && !broken && type === "image")
    return (
      <img
        class="preview checkered"
        data-medium={medium}
        src={url}
        alt=""
        onError={onError}
      />
    );
  if (url && !broken && type === "video")
    return (
      <video
        class="preview"
        src={url}
        muted
        playsInline
        preload="metadata"
        onError={onError}
      />
    );
  return (
    <span class="preview" data-medium={medium}>
      <Icon icon={iconOf(medium)} size={20} />
    </span>
  );
}

/** A sound has a player instead of a preview. */
export function Sound({ url, name }: { url: string; name: string }) {
  const [broken, setBroken] = useBroken();
  if (broken) return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: the person's own file or result, which has no captions
    <audio
      src={url}
      controls
      preload="metadata"
      aria-label={name}
      onError={() => setBroken(true)}
    />
  );
}
