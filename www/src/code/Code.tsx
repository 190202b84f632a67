/** The code of a request, as TypeScript and as HTTP. */
import { useSignal } from "@preact/signals";
import type { Capability } from "../catalogue";
import { CopyButton } from "../parts/CopyButton";
import type { Values } from "../storage";
import { http } from "./http";
import { typescript } from "./typescript";

const LANGUAGES = { TypeScript: typescript, "HTTP (curl)": http };
type Language = keyof typeof LANGUAGES;

export function Code({ capability, values }: { capability: Capability; values: Values }) {
  const language = useSignal<Language>("TypeScript");
  const text = LANGUAGES[language.value](capability, values, location.origin);
  return (
    <>
      <div class="bar">
        <fieldset class="chips" aria-label="Language">
          {(Object.keys(LANGUAGES) as Language[]).map((it) => (
            <button
              key={it}
              type="button"
              class="chip"
              aria-pressed={it === language.value}
              onClick={() => (language.value = it)}
            >
              <span>{it}</span>
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
