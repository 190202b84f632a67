/** Actions on the input that a task was created from. */
import { CodeXml, RotateCcw } from "lucide";
import { findCapability } from "../catalogue";
import { showCode } from "../code/CodeDialog";
import { fillForm } from "../form/fill";
import { Icon } from "../parts/Icon";
import { type Entry, headingOf, isOver } from "./entry";
import { rerun } from "./rerun";
import { inputSignal } from "./taskInput";

export function InputActions({ entry }: { entry: Entry }) {
  const input = inputSignal(entry.key).value;
  const capability = findCapability(entry.capability);
  if (!input || !capability) return null;
  const failed = isOver(entry.state) && entry.state !== "SUCCEEDED";
  return (
    <div class="bar">
      {failed && (
        <button type="button" class="small" onClick={() => void rerun(entry)}>
          <Icon of={RotateCcw} size={14} /> Try again
        </button>
      )}
      <button
        type="button"
        class="quiet small"
        onClick={() => fillForm(capability, input.values, headingOf(entry))}
      >
        {!failed && <Icon of={RotateCcw} size={14} />} Edit and run again
      </button>
      <button
        type="button"
        class="quiet small"
        onClick={() => showCode(capability, input.values)}
      >
        <Icon of={CodeXml} size={14} /> Show the code
      </button>
    </div>
  );
}
