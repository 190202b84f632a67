/** The dialog with the code of a request or a pipeline; the code itself is written by a part that is loaded when it is first shown. */
import { signal } from "@preact/signals";
import { X } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import type { Capability } from "../catalogue";
import { chunk } from "../parts/chunk";
import { Icon } from "../parts/Icon";
import { online } from "../parts/online";
import { useLoaded } from "../parts/useLoaded";
import type { Draft, Values } from "../storage";

/** A request, or a pipeline. */
export type Shown =
  | { capability: Capability; values: Values }
  | { pipeline: Draft };

const shown = signal<Shown | undefined>(undefined);

export function showCode(capability: Capability, values: Values): void {
  shown.value = { capability, values };
}

export function showPipelineCode(pipeline: Draft): void {
  shown.value = { pipeline };
}

export function CodeDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const of = shown.value;
  useEffect(
    () => (of ? dialog.current?.showModal() : dialog.current?.close()),
    [of],
  );
  const close = () => (shown.value = undefined);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop closes it; Escape does so in any dialog
    <dialog
      ref={dialog}
      class="code"
      aria-labelledby="code-heading"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {of && <Sheet of={of} close={close} />}
    </dialog>
  );
}

function Sheet({ of, close }: { of: Shown; close(): void }) {
  const code = useLoaded(() => chunk(() => import("./Code")));
  return (
    <div class="sheet">
      <header>
        <h2 id="code-heading">
          {"pipeline" in of ? "The pipeline" : of.capability.title} in code
        </h2>
        <button
          type="button"
          class="quiet square"
          aria-label="Close"
          onClick={close}
        >
          <Icon of={X} />
        </button>
      </header>
      {code ? <code.Code of={of} /> : <p>{waiting()}</p>}
    </div>
  );
}

function waiting(): string {
  return online.value
    ? "Loading…"
    : "You are offline. The code is shown when you are online again.";
}
