/** The results of a task: shown, to download, and to use in the next request. */
import { Download, ExternalLink } from "lucide";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import type { Entry } from "../tasks/entry";
import { inputSignal } from "../tasks/taskInput";
import { originalOf } from "./original";
import { download, type Loadable, loadables } from "./output";
import { Player } from "./Player";
import { UseIn } from "./UseIn";

export function Results({ entry }: { entry: Entry }) {
  const assets = entry.outputs.flatMap((it) => it.asset_id ?? []);
  return (
    <>
      {loadables(entry).map((it) => (
        <Result key={it.url} output={it} entry={entry} />
      ))}
      {assets.map((it) => (
        <Asset key={it} id={it} />
      ))}
      {entry.outputs.length === 0 && <p class="broken">The media service returned no result.</p>}
    </>
  );
}

function Result({ output, entry }: { output: Loadable; entry: Entry }) {
  const original = originalOf(entry, inputSignal(entry.key).value?.values, output.kind);
  const what = output.kind === "pdf" ? "PDF" : (output.kind ?? "result");
  return (
    <div class="result" data-kind={output.kind}>
      <Player output={output} original={original} />
      <div class="bar">
        <button
          type="button"
          class="quiet small"
          aria-label={`Download ${output.name}`}
          onClick={() => void download(output)}
        >
          <Icon of={Download} size={14} /> Download
        </button>
        <a class="open" href={output.url} target="_blank" rel="noopener noreferrer">
          <Icon of={ExternalLink} size={14} /> Open {what}
        </a>
      </div>
      <UseIn output={output} />
    </div>
  );
}

function Asset({ id }: { id: string }) {
  return (
    <p class="asset">
      <code>{id}</code>
      <CopyButton text={id} label="Copy asset id" />
    </p>
  );
}
