import { useSignal } from "@preact/signals";
import { Braces, CodeXml, RotateCcw } from "lucide";
import { isOfInput } from "mediagate/words";
import { showCode } from "../code/CodeDialog";
import { fillForm } from "../form/fill";
import { findOffered } from "../offers";
import { Icon } from "../parts/Icon";
import { useChunk } from "../parts/useLoaded";
import { type Entry, headingOf, isOver } from "./entry";
import { rerun } from "./rerun";

export function InputActions({ entry }: { entry: Entry }) {
  const { values } = entry;
  const capability = findOffered(entry.capability);
  const failed = isOver(entry.state) && entry.state !== "SUCCEEDED";
  const { failure } = entry;
  const canHelp = failed && !(failure && isOfInput(failure));
  return (
    <div class="bar">
      {values && capability && (
        <>
          {canHelp && (
            <button
              type="button"
              class="small"
              onClick={() => void rerun(entry)}
            >
              <Icon icon={RotateCcw} size={14} /> Try again
            </button>
          )}
          <button
            type="button"
            class="quiet small"
            title="Puts the values of this task into the form, where you can change them"
            onClick={() => fillForm(capability, values, headingOf(entry))}
          >
            {!canHelp && <Icon icon={RotateCcw} size={14} />} Edit and run again
          </button>
          <button
            type="button"
            class="quiet small"
            onClick={() => showCode(capability, values)}
          >
            <Icon icon={CodeXml} size={14} /> Show the code
          </button>
        </>
      )}
      <JsonButton entry={entry} />
    </div>
  );
}

function JsonButton({ entry }: { entry: Entry }) {
  const isOpen = useSignal(false);
  const dialog = useChunk(() => import("./TaskJson"), isOpen.value);
  return (
    <>
      <button
        type="button"
        class="quiet small"
        onClick={() => (isOpen.value = true)}
      >
        <Icon icon={Braces} size={14} /> JSON
      </button>
      {isOpen.value && dialog && (
        <dialog.TaskJson entry={entry} close={() => (isOpen.value = false)} />
      )}
    </>
  );
}
