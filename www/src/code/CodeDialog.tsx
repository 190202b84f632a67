/** The code of a request, as TypeScript and as HTTP. */
import { signal, useSignal } from "@preact/signals";
import { X } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import type { Capability } from "../catalogue";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import type { Values } from "../storage";
import { http } from "./http";
import { typescript } from "./typescript";

interface Request {
  capability: Capability;
  values: Values;
}

const request = signal<Request | undefined>(undefined);

export function showCode(capability: Capability, values: Values): void {
  request.value = { capability, values };
}

const LANGUAGES = { TypeScript: typescript, "HTTP (curl)": http };
type Language = keyof typeof LANGUAGES;

export function CodeDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const of = request.value;
  useEffect(() => (of ? dialog.current?.showModal() : dialog.current?.close()), [of]);
  const close = () => (request.value = undefined);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop closes it; Escape does so in any dialog
    <dialog
      ref={dialog}
      class="code"
      aria-labelledby="code-heading"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {of && <Code {...of} close={close} />}
    </dialog>
  );
}

function Code({ capability, values, close }: Request & { close(): void }) {
  const language = useSignal<Language>("TypeScript");
  const text = LANGUAGES[language.value](capability, values, location.origin);
  return (
    <div class="sheet">
      <header>
        <h2 id="code-heading">{capability.title} in code</h2>
        <button type="button" class="quiet square" aria-label="Close" onClick={close}>
          <Icon of={X} />
        </button>
      </header>
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
    </div>
  );
}
