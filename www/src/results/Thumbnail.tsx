import { Icon } from "../parts/Icon";
import { iconOf } from "../parts/media";
import { useBroken } from "../parts/useBroken";

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
  const common = {
    src: url,
    "data-medium": medium,
    onError: () => setBroken(true),
  };
  if (kind === "image" && url && !broken)
    return (
      <img {...common} class={`${name} checkered`} alt="" loading="lazy" />
    );
  if (kind === "video" && url && !broken)
    return (
      <video {...common} class={name} muted playsInline preload="metadata" />
    );
  return (
    <span class={name} data-medium={medium}>
      <Icon icon={iconOf(medium)} size={20} />
    </span>
  );
}
