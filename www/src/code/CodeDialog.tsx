/** The dialog with the code of a request; the code itself is written by a part that is loaded when it is first shown. */
import { signal } from "@preact/signals";
import { X } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import type { Capability } from "../catalogue";
import { chunk } from "../parts/chunk";
import { Icon } from "../parts/Icon";
import { online } from "../parts/online";
import { useLoaded } from "../parts/useLoaded";
import type { Values } from "../storage";

interface Request {
  capability: Capability;
  values: Values;
}

const request = signal<Request | undefined>(undefined);

export function showCode(capability: Capability, values: Values): void {
  request.value = { capability, values };
}

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
      {of && <Sheet {...of} close={close} />}
    </dialog>
  );
}

function Sheet({ capability, values, close }: Request & { close(): void }) {
  const code = useLoaded(() => chunk(() => import("./Code")));
  return (
    <div class="sheet">
      <header>
        <h2 id="code-heading">{capability.title} in code</h2>
        <button type="button" class="quiet square" aria-label="Close" onClick={close}>
          <Icon of={X} />
        </button>
      </header>
      {code ? <code.Code capability={capability} values={values} /> : <p>{waiting()}</p>}
    </div>
  );
}

function waiting(): string {
  return online.value ? "Loading…" : "You are offline. The code is shown when you are online again.";
}
