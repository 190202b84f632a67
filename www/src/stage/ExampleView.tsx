/** The finished example of a capability, so that the stage is never empty. */
import { useState } from "preact/hooks";
import type { Capability } from "../catalogue";
import { connection } from "../client";
import { type FinishedExample, finishedOf } from "../examples/finished";
import type { Loadable } from "../results/output";
import { Player } from "../results/Player";
import { Thumbnail } from "../results/Thumbnail";
import { Made } from "./Outputs";
import { STAGE_HEADING } from "./shown";

export function ExampleView({ capability }: { capability: Capability }) {
  const example = finishedOf(capability);
  return (
    <>
      <header>
        <div class="what">
          <h2 id={STAGE_HEADING} tabIndex={-1}>
            {capability.title}
          </h2>
          <p class="facts summary" dir="auto">
            An example
            {example && ` · ${example.values.join(" · ")}`}
          </p>
        </div>
        <span class="badge">Example</span>
      </header>
      {example && <Finished example={example} name={capability.title} />}
    </>
  );
}

function Finished({
  example: { outputs, before },
  name,
}: {
  example: FinishedExample;
  name: string;
}) {
  const [at, setAt] = useState(0);
  const [facts, setFacts] = useState("");
  const output = outputs[at];
  if (!output) return null;
  // A video is loaded once the page is ready. Until then, its first picture stands for it.
  const isReady = connection.value !== "connecting";
  const { poster = "" } = output;
  const loadable: Loadable = {
    ...output,
    name,
    note: null,
    reference: undefined,
  };
  return (
    <>
      <article class="result" data-kind={output.kind} aria-label={name}>
        {poster && !isReady ? (
          <img src={poster} alt="" />
        ) : (
          <Player
            key={output.url}
            output={loadable}
            original={before && { name, url: before.url }}
            isLarge
            describe={setFacts}
            onError={() => undefined}
          />
        )}
        <p class="facts sizes">
          <span>{facts}</span>
          <Made note={null} />
        </p>
      </article>
      {outputs.length > 1 && (
        <ul class="outputs" aria-label="Results of this example">
          {outputs.map((other, index) => (
            <li key={other.url}>
              <button
                type="button"
                aria-label={`Show result ${index + 1}`}
                aria-current={index === at}
                onClick={() => setAt(index)}
              >
                <Thumbnail source={other} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
