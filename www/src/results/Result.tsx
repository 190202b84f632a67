/** The results of a task, with buttons to download them and to use them in the next request. */
import { Download, ExternalLink } from "lucide";
import { useState } from "preact/hooks";
import { addAsset, addFile } from "../form/fill";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import { useBroken } from "../parts/useBroken";
import type { Entry } from "../tasks/entry";
import { inputSignal } from "../tasks/taskInput";
import { kindWord } from "../words";
import { LoadAgain } from "./LoadAgain";
import { Made } from "./Made";
import { originalOf } from "./original";
import {
  download,
  fetchFile,
  type Loadable,
  loadables,
  noteOf,
} from "./output";
import { Player } from "./Player";
import { renew } from "./renew";
import { assetTargets, fileTargets } from "./targets";
import { UseIn } from "./UseIn";

export function Results({ entry }: { entry: Entry }) {
  const assets = entry.outputs.flatMap(({ assetId: id, url }, index) =>
    id ? [{ id, note: url ? undefined : noteOf(entry, index) }] : [],
  );
  return (
    <>
      {loadables(entry).map((output, index) => (
        <Result key={index} output={output} entry={entry} />
      ))}
      {assets.map((asset) => (
        <Asset key={asset.id} {...asset} />
      ))}
      {entry.outputs.length === 0 && (
        <p class="broken">The media service returned no result.</p>
      )}
    </>
  );
}

/** The state of a result's URL. */
type UrlState =
  /** May have expired. */
  | "old"
  /** Was renewed, and has not been loaded yet. */
  | "renewed"
  /** Did not load although it was renewed, so the result is gone. */
  | "gone";

function Result({ output, entry }: { output: Loadable; entry: Entry }) {
  const [facts, setFacts] = useState("");
  const [broken, setBroken] = useBroken();
  const [urlState, setUrlState] = useState<UrlState>("old");
  const original = originalOf(
    entry,
    inputSignal(entry.key).value?.values,
    output.kind,
  );
  const load = async () => {
    setUrlState(
      await renew(entry).then(
        () => "renewed" as const,
        () => "old" as const,
      ),
    );
    setBroken(false);
  };
  const fail = () => {
    // An old URL may have expired, or the network may have failed.
    setUrlState((last) => (last === "renewed" ? "gone" : last));
    setBroken(true);
  };
  return (
    <article
      class="result"
      data-kind={output.kind}
      aria-label={output.name}
      // Takes the focus when “Load again” goes away.
      tabIndex={-1}
    >
      {broken ? (
        <LoadAgain
          name={output.name}
          isGone={urlState === "gone"}
          load={load}
        />
      ) : (
        <>
          <Player
            output={output}
            original={original}
            describe={(described) => {
              setFacts(described);
              setUrlState("old");
            }}
            onError={fail}
          />
          <p class="facts sizes">{facts}</p>
        </>
      )}
      <Made note={output.note} />
      {!broken && <Uses output={output} />}
    </article>
  );
}

/** The actions for a result that can be loaded. */
function Uses({ output }: { output: Loadable }) {
  return (
    <>
      <div class="bar">
        <button
          type="button"
          class="quiet small"
          aria-label={`Download ${output.name}`}
          onClick={() => void download(output)}
        >
          <Icon icon={Download} size={14} /> Download
        </button>
        <a
          class="open"
          href={output.url}
          target="_blank"
          rel="noopener noreferrer"
        >
          <Icon icon={ExternalLink} size={14} /> Open{" "}
          {kindWord(output.kind) ?? "result"}
        </a>
      </div>
      <UseIn
        name={output.name}
        targets={fileTargets(output.kind)}
        use={async ({ capability, field }) => {
          const file = output.reference ?? (await fetchFile(output));
          addFile(capability, field, file);
        }}
      />
    </>
  );
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
      <UseIn
        name={`asset ${id}`}
        targets={assetTargets()}
        use={({ capability, field }) => addAsset(capability, field, id)}
      />
    </div>
  );
}
