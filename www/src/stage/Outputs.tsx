/** The results of a task: one large, and the others as small pictures below it. */
import { FlaskConical } from "lucide";
import { formatCredits } from "mediagate/words";
import { useEffect } from "preact/hooks";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import { LoadAgain } from "../results/LoadAgain";
import { type Loadable, loadables, noteOf } from "../results/output";
import { Player } from "../results/Player";
import { Thumbnail } from "../results/Thumbnail";
import { useResult } from "../results/useResult";
import type { Entry } from "../tasks/entry";
import { madeByEmulator } from "../words";

interface OutputsProps {
  entry: Entry;
  /** The index of the result that is shown large. */
  at: number;
  choose(index: number): void;
  /** Receives true if the large result could not be loaded. */
  onBroken(isBroken: boolean): void;
}

export function Outputs({ entry, at, choose, onBroken }: OutputsProps) {
  const all = loadables(entry);
  const large = all[at] ?? all[0];
  const assets = entry.outputs.flatMap(({ assetId: id, url }, index) =>
    id ? [{ id, note: url ? undefined : noteOf(entry, index) }] : [],
  );
  return (
    <>
      {large && (
        <Large
          key={large.url}
          output={large}
          entry={entry}
          onBroken={onBroken}
        />
      )}
      {all.length > 1 && (
        <ul class="outputs" aria-label="Results of this task">
          {all.map((output, index) => (
            <li key={output.url}>
              <button
                type="button"
                aria-label={`Show ${output.name}`}
                aria-current={output === large}
                onClick={() => choose(index)}
              >
                <Thumbnail source={output} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {assets.map((asset) => (
        <Asset key={asset.id} {...asset} />
      ))}
      {all.length === 0 && assets.length === 0 && (
        <p class="broken">The media service returned no result.</p>
      )}
    </>
  );
}

interface LargeProps extends Pick<OutputsProps, "entry" | "onBroken"> {
  output: Loadable;
}

function Large({ output, entry, onBroken }: LargeProps) {
  const { facts, broken, loading, playing } = useResult(entry, output);
  useEffect(() => onBroken(broken), [broken]);
  return (
    <article
      class="result"
      data-kind={output.kind}
      aria-label={output.name}
      // Takes the focus when “Load again” goes away.
      tabIndex={-1}
    >
      {broken ? <LoadAgain {...loading} /> : <Player {...playing} isLarge />}
      <p class="facts sizes">
        <span>{[facts, ...workOf(entry)].filter(Boolean).join(" · ")}</span>
        <Made note={output.note} />
      </p>
    </article>
  );
}

/** Returns the model and the price of a task, as far as they are known. */
function workOf({ model, credits, emulated }: Entry): string[] {
  const price =
    credits !== undefined && formatCredits(credits, emulated !== undefined);
  return [model, price].filter((fact) => typeof fact === "string");
}

/** The model and the price of a task without a result, such as one that has failed. */
export function Work({ entry }: { entry: Entry }) {
  const known = workOf(entry);
  if (known.length === 0 || loadables(entry).length > 0) return null;
  return <p class="facts">{known.join(" · ")}</p>;
}

function Asset({ id, note }: { id: string; note: string | null | undefined }) {
  return (
    <div class="result">
      <p class="asset">
        <code>{id}</code>
        <CopyButton text={id} label="Copy asset id" />
      </p>
      <p class="facts">A saved asset. Fields for assets take its id.</p>
      <Made note={note} />
    </div>
  );
}

/** The badge of a result that the emulator has made. */
export function Made({ note }: { note: string | null | undefined }) {
  if (note === undefined) return null;
  return (
    <span class="made">
      <Icon icon={FlaskConical} size={14} /> {madeByEmulator(note)}
    </span>
  );
}
