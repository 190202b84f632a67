/** The fields that take the result of a running task. The next request waits for the result. */
import { fieldsFor } from "mediagate/forms";
import { findCapability } from "../catalogue";
import { addFile } from "../form/fill";
import { offered } from "../offers";
import { type Entry, headingOf } from "../tasks/entry";
import { mediumOfCapability, type RunningReference } from "./reference";
import { UseIn } from "./UseIn";

export function UseRunning({ entry }: { entry: Entry }) {
  const kind = mediumOfCapability(findCapability(entry.capability));
  if (!entry.task?.id || !kind) return null;
  const { id, capability } = entry.task;
  const name = headingOf(entry);
  const reference: RunningReference = { id, capability, name, kind };
  return (
    <UseIn
      name={name}
      note="This task still runs. The next task waits for its result."
      targets={fieldsFor(offered.value, kind)}
      use={({ capability, field }) => addFile(capability, field, reference)}
    />
  );
}
