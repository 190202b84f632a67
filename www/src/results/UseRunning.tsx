/** The result of a task that still runs, as the input of the next request, which then waits for it. */
import { findCapability } from "../catalogue";
import { addFile } from "../form/fill";
import { type Entry, headingOf } from "../tasks/entry";
import { mediumOfCapability, type RunningReference } from "./reference";
import { fileTargets } from "./targets";
import { UseIn } from "./UseIn";

export function UseRunning({ entry }: { entry: Entry }) {
  const kind = mediumOfCapability(findCapability(entry.capability));
  if (!entry.saved?.id || !kind) return null;
  const { id, capability } = entry.saved;
  const name = headingOf(entry);
  const reference: RunningReference = { id, capability, name, kind };
  return (
    <UseIn
      name={name}
      note="It still runs: the task that uses it then waits for its result."
      targets={fileTargets(kind)}
      use={(it) => addFile(it.capability, it.field, reference)}
    />
  );
}
