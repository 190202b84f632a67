import { Download, ExternalLink, FlaskConical } from "lucide";
import { fieldsFor } from "mediagate/forms";
import { addAsset, addFile } from "../form/fill";
import { offered } from "../offers";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import type { Entry } from "../tasks/entry";
import { kindWord, madeByEmulator } from "../words";
import { LoadAgain } from "./LoadAgain";
import {
  download,
  fetchFile,
  type Loadable,
  loadables,
  noteOf,
} from "./output";
import { Player } from "./Player";
import { UseIn } from "./UseIn";
import { useResult } from "./useResult";

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

function Result({ output, entry }: { output: Loadable; entry: Entry }) {
  const { facts, broken, loading, playing } = useResult(entry, output);
  return (
    <article
      class="result"
      data-kind={output.kind}
      aria-label={output.name}
      // Takes the focus when “Load again” goes away.
      tabIndex={-1}
    >
      {broken ? (
        <LoadAgain {...loading} />
      ) : (
        <>
          <Player {...playing} />
          <p class="facts sizes">{facts}</p>
        </>
      )}
      <Made note={output.note} />
      {!broken && <Uses output={output} />}
    </article>
  );
}

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
        targets={fieldsFor(offered.value, output.kind)}
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
        targets={fieldsFor(offered.value, "asset")}
        use={({ capability, field }) => addAsset(capability, field, id)}
      />
    </div>
  );
}

function Made({ note }: { note: string | null | undefined }) {
  if (note === undefined) return null;
  return (
    <p class="made">
      <Icon icon={FlaskConical} size={14} /> {madeByEmulator(note)}
    </p>
  );
}
