/** The code of a request or a pipeline, in TypeScript, as HTTP and in Python. */
import { useSignal } from "@preact/signals";
import { CopyButton } from "../parts/CopyButton";
import type { Shown } from "./CodeDialog";
import { http } from "./http";
import { pipelineHttp, pipelinePython, pipelineTypescript } from "./pipeline";
import { python } from "./python";
import { typescript } from "./typescript";

const LANGUAGES = {
  TypeScript: { request: typescript, pipeline: pipelineTypescript },
  "HTTP (curl)": { request: http, pipeline: pipelineHttp },
  Python: { request: python, pipeline: pipelinePython },
};
type Language = keyof typeof LANGUAGES;

export function Code({ subject }: { subject: Shown }) {
  const language = useSignal<Language>("TypeScript");
  const { request, pipeline } = LANGUAGES[language.value];
  const text =
    "pipeline" in subject
      ? pipeline(subject.pipeline, location.origin)
      : request(subject.capability, subject.values, location.origin);
  return (
    <>
      <div class="bar">
        <fieldset class="chips" aria-label="Language">
          {(Object.keys(LANGUAGES) as Language[]).map((name) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={name === language.value}
              onClick={() => (language.value = name)}
            >
              <span>{name}</span>
            </button>
          ))}
        </fieldset>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which by keyboard needs the focus */}
      <section class="source" tabIndex={0} aria-label={language.value}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
    </>
  );
}
