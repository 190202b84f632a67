/** A result as the input of the next request. */
import { useSignal } from "@preact/signals";
import { type Capability, capabilities, type Field } from "../catalogue";
import { addFile } from "../form/fill";
import { toShownError } from "../parts/Failure";
import { online } from "../parts/online";
import { label } from "../words";
import { fetchFile, type Loadable } from "./output";

interface Target {
  capability: Capability;
  field: Field;
}

/** Every field that takes files of a medium. */
function targetsFor(medium: string): Target[] {
  return capabilities.flatMap((capability) =>
    capability.fields.filter((it) => it.media === medium).map((field) => ({ capability, field })),
  );
}

function unreadable(): string {
  return online.value
    ? "The host of the result does not let this page read it. Download it, then choose the file in the form."
    : "You are offline. Try again when the network is back.";
}

export function UseIn({ output }: { output: Loadable }) {
  const failure = useSignal("");
  const targets = output.kind ? targetsFor(output.kind) : [];
  if (targets.length === 0) return null;
  const use = async ({ capability, field }: Target) => {
    failure.value = "";
    try {
      addFile(capability, field, await fetchFile(output));
    } catch (error) {
      failure.value = error instanceof TypeError ? unreadable() : toShownError(error).message;
    }
  };
  const isOnlyField = ({ capability }: Target) => targets.filter((it) => it.capability === capability).length === 1;
  return (
    <details class="use">
      <summary>
        Use in… <span class="unseen">{output.name}</span>
      </summary>
      <ul class="chips">
        {targets.map((it) => (
          <li key={it.capability.name + it.field.name}>
            <button type="button" class="chip" onClick={() => void use(it)}>
              {it.capability.title}
              {!isOnlyField(it) && ` · ${label(it.field)}`}
            </button>
          </li>
        ))}
      </ul>
      <p class="issues" role="status">
        {failure.value}
      </p>
    </details>
  );
}
