/** One result, shown by its kind; a processed one together with its original. */
import { useRef, useState } from "preact/hooks";
import { chunk } from "../parts/chunk";
import { useBroken } from "../parts/useBroken";
import { useLoaded } from "../parts/useLoaded";
import { LoadAgain } from "./LoadAgain";
import type { Loadable } from "./output";
import type { Chosen } from "./reference";
import { useChosenUrl } from "./useChosenUrl";

interface Shown {
  output: Loadable;
  /** What it was made from, if that is of the same kind. */
  original: Chosen | undefined;
}

interface PlayerProps extends Shown {
  /** Replaces the output's URL by a fresh one. */
  renew(): Promise<void>;
}

export function Player({ output, original, renew }: PlayerProps) {
  const [broken, setBroken] = useBroken();
  const onError = () => setBroken(true);
  const load = async () => {
    // Without a fresh URL, the old one is loaded again: it may be the network that failed.
    await renew().catch(() => undefined);
    setBroken(false);
  };
  if (broken) return <LoadAgain name={output.name} load={load} />;
  if (output.kind === "image")
    return <Picture {...{ output, original, onError }} />;
  if (output.kind === "video" || output.kind === "audio")
    return <Recording {...{ output, original, onError }} />;
  if (output.kind === "pdf") return <Pdf {...{ output, onError }} />;
  return null;
}

interface KindProps extends Shown {
  onError(): void;
}

function Picture({ output: { url, name }, original, onError }: KindProps) {
  const [single, setSingle] = useState(false);
  const Compare = useLoaded(
    async () =>
      original ? (await chunk(() => import("./Compare"))).Compare : undefined,
    [original],
  );
  if (Compare && original && !single) {
    return (
      <Compare
        before={original}
        after={url}
        name={name}
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
      onError={onError}
    />
  );
}

function Recording({ output, original, onError }: KindProps) {
  const before = useChosenUrl(original);
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
        aria-label={
          which === "After"
            ? `Result of ${output.name}`
            : `Before ${output.name}`
        }
        controls
        playsInline
        loop={Tag === "video"}
        preload="metadata"
        onLoadedMetadata={({ currentTarget: it }) =>
          (it.currentTime = Math.min(time.current, it.duration || 0))
        }
        onError={onError}
      />
      {before && (
        <fieldset class="chips" aria-label="Before or after">
          {(["Before", "After"] as const).map((it) => (
            <button
              key={it}
              type="button"
              class="chip"
              aria-pressed={it === which}
              onClick={() => choose(it)}
            >
              <span>{it}</span>
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}

function Pdf({ output, onError }: Omit<KindProps, "original">) {
  const pages = useLoaded(() => chunk(() => import("../pdf/Pages")));
  return pages ? (
    <pages.PageStrip source={output.url} name={output.name} onError={onError} />
  ) : null;
}
