/** One result, shown by its kind; a processed one together with its original. */
import { useRef, useState } from "preact/hooks";
import { useLoaded } from "../parts/useLoaded";
import { useObjectUrl } from "../parts/useObjectUrl";
import type { Loadable } from "./output";

interface PlayerProps {
  output: Loadable;
  /** The file that it was made from, if that is of the same kind. */
  original: File | undefined;
}

export function Player({ output, original }: PlayerProps) {
  const [broken, setBroken] = useState(false);
  const onError = () => setBroken(true);
  if (broken) return <p class="broken">The result could not be loaded. Its URL may have expired.</p>;
  if (output.kind === "image") return <Picture {...{ output, original, onError }} />;
  if (output.kind === "video" || output.kind === "audio") return <Recording {...{ output, original, onError }} />;
  if (output.kind === "pdf") return <Pdf output={output} />;
  return null;
}

interface KindProps extends PlayerProps {
  onError(): void;
}

function Picture({ output: { url, name }, original, onError }: KindProps) {
  const [single, setSingle] = useState(false);
  const Compare = useLoaded(async () => (original ? (await import("./Compare")).Compare : undefined), [original]);
  if (Compare && original && !single) {
    return <Compare before={original} after={url} name={name} onError={onError} onMismatch={() => setSingle(true)} />;
  }
  return <img class="checkered" src={url} alt={`Result of ${name}`} loading="lazy" onError={onError} />;
}

function Recording({ output, original, onError }: KindProps) {
  const before = useObjectUrl(original);
  const [which, setWhich] = useState<"After" | "Before">("After");
  const player = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const time = useRef(0);
  const Tag = output.kind === "video" ? "video" : "audio";
  const choose = (it: "After" | "Before") => {
    // The other recording continues at the same time.
    time.current = player.current?.currentTime ?? 0;
    setWhich(it);
  };
  return (
    <>
      <Tag
        ref={player}
        src={before && which === "Before" ? before : output.url}
        aria-label={which === "After" ? `Result of ${output.name}` : `Before ${output.name}`}
        controls
        playsInline
        loop={Tag === "video"}
        preload="metadata"
        onLoadedMetadata={({ currentTarget: it }) => (it.currentTime = Math.min(time.current, it.duration || 0))}
        onError={onError}
      />
      {before && (
        <fieldset class="chips" aria-label="Before or after">
          {(["Before", "After"] as const).map((it) => (
            <button key={it} type="button" class="chip" aria-pressed={it === which} onClick={() => choose(it)}>
              <span>{it}</span>
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}

function Pdf({ output }: { output: Loadable }) {
  const pages = useLoaded(() => import("../pdf/Pages"));
  return pages ? <pages.PageStrip source={output.url} name={output.name} /> : null;
}
