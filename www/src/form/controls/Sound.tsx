import { useBroken } from "../../parts/useBroken";

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
