/** A result that a link shows. */
import { Download, ExternalLink } from "lucide";
import { useState } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { useBroken } from "../parts/useBroken";
import { download } from "../results/output";
import { Player } from "../results/Player";
import { kindWord } from "../words";
import type { LinkedResult } from "./linked";
import { STAGE_HEADING } from "./shown";

export function LinkedView({ result }: { result: LinkedResult }) {
  const { capability, output } = result;
  const [facts, setFacts] = useState("");
  const [broken, setBroken] = useBroken();
  return (
    <>
      <header>
        <div class="what">
          <h2 id={STAGE_HEADING} tabIndex={-1}>
            {capability.title}
          </h2>
          <p class="facts summary">A result from a link</p>
        </div>
      </header>
      <article class="result" data-kind={output.kind} aria-label={output.name}>
        {broken ? (
          <p class="broken">
            The result of this link could not be loaded. It may have expired.
          </p>
        ) : (
          <Player
            output={output}
            original={undefined}
            isLarge
            describe={setFacts}
            onError={() => setBroken(true)}
          />
        )}
        <p class="facts sizes">{facts}</p>
      </article>
      {!broken && <Actions output={output} />}
    </>
  );
}

function Actions({ output }: Pick<LinkedResult, "output">) {
  return (
    <div class="bar">
      <button type="button" class="small" onClick={() => void download(output)}>
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
  );
}
