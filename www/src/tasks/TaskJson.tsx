import { useSignal } from "@preact/signals";
import { findCapability, prefix } from "../catalogue";
import { CodeView } from "../parts/CodeView";
import { Dialog } from "../parts/Dialog";
import { useLoaded } from "../parts/useLoaded";
import { mapChosen } from "../results/reference";
import { type Entry, headingOf } from "./entry";
import { receivedOf } from "./received";

const PARTS = ["Request", "Record", "Events"] as const;

export function TaskJson({ entry, close }: { entry: Entry; close(): void }) {
  const part = useSignal<(typeof PARTS)[number]>("Record");
  const record = useLoaded(() => readRecord(entry), [entry.key]);
  const json = {
    Request: requestOf(entry),
    Record: record?.task,
    Events: receivedOf(entry.key),
  }[part.value];
  const text = json === undefined ? undefined : JSON.stringify(json, null, 2);
  return (
    <Dialog heading={`${headingOf(entry)} as JSON`} close={close}>
      <CodeView label="Part" names={PARTS} chosen={part} text={text}>
        {part.value === "Events" && (
          <p class="facts">The events since this page was loaded.</p>
        )}
        {text === undefined && (
          <p class="facts">{missing(part.value, record !== undefined)}</p>
        )}
      </CodeView>
    </Dialog>
  );
}

function missing(part: string, isRead: boolean): string {
  if (part === "Request") return "This browser does not have the task's input.";
  return isRead ? "The gateway has no record of this task." : "Loading…";
}

/** Returns the create as it was sent, or before that with names instead of files. */
function requestOf({ key, capability, values, body }: Entry): unknown {
  const found = findCapability(capability);
  if (!values || !found) return undefined;
  return {
    method: "POST",
    path: `${prefix}${found.path}`,
    headers: { "Idempotency-Key": key },
    body: body ?? mapChosen(values, (chosen) => chosen.name),
  };
}

/** Returns the last record, or reads it from the gateway; without a `task` if there is none. */
async function readRecord({ key, task }: Entry): Promise<{ task?: unknown }> {
  const last = receivedOf(key).at(-1);
  if (last) return last;
  if (!task?.id) return {};
  return task.refresh().then(
    ({ raw }) => ({ task: raw }),
    () => ({}),
  );
}
