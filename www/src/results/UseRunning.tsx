/** The result of a task that still runs, as the input of the next request, which then waits for it. */
import { findCapability } from "../catalogue";
import { addFile } from "../form/fill";
import { type Entry, headingOf } from "../tasks/entry";
import type { RunningReference } from "./reference";
import { fileTargets } from "./targets";
import { UseIn } from "./UseIn";

export function UseRunning({ entry }: { entry: Entry }) {
  const medium = findCapability(entry.capability)?.medium;
  if (!entry.saved?.id || !medium) return null;
  const { id, capability } = entry.saved;
  const name = headingOf(entry);
  // The medium of the capabilities for PDFs has another name than their files.
  const reference: RunningReference = { id, capability, name, kind: medium === "asset" ? "pdf" : medium };
  return (
    <UseIn
      name={name}
      note="It still runs: the task that uses it then waits for its result."
      targets={fileTargets(reference.kind)}
      use={(it) => addFile(it.capability, it.field, reference)}
    />
  );
}
