/** A task as JSON: its request, its record, and the events that this page received. */
import { useSignal } from "@preact/signals";
import { findCapability, prefix } from "../catalogue";
import { client } from "../client";
import { CopyButton } from "../parts/CopyButton";
import { Dialog } from "../parts/Dialog";
import { useLoaded } from "../parts/useLoaded";
import { mapChosen } from "../results/reference";
import { type Entry, headingOf } from "./entry";
import { receivedOf } from "./received";
import { inputSignal } from "./taskInput";

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
      <div class="bar">
        <fieldset class="chips" aria-label="Part">
          {PARTS.map((name) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={name === part.value}
              onClick={() => (part.value = name)}
            >
              <span>{name}</span>
            </button>
          ))}
        </fieldset>
        {text !== undefined && <CopyButton text={text} />}
      </div>
      {part.value === "Events" && (
        <p class="facts">Those that came since this page was loaded.</p>
      )}
      {text === undefined ? (
        <p class="facts">{missing(part.value, record !== undefined)}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which by keyboard needs the focus
        <section class="source" tabIndex={0} aria-label={part.value}>
          <pre>
            <code>{text}</code>
          </pre>
        </section>
      )}
    </Dialog>
  );
}

function missing(part: string, isRead: boolean): string {
  if (part === "Request")
    return "What the task was made from is not known to this browser.";
  return isRead ? "The gateway has no record of it." : "Loading…";
}

/** The create as it was sent; before that, as the form has it, with names in the place of files. */
function requestOf({ key, capability }: Entry): unknown {
  const input = inputSignal(key).value;
  const found = findCapability(capability);
  if (!input || !found) return undefined;
  return {
    method: "POST",
    path: `${prefix}${found.path}`,
    headers: { "Idempotency-Key": key },
    body: input.body ?? mapChosen(input.values, (chosen) => chosen.name),
  };
}

/** The last record that came, or else the gateway's; without a `task` if there is none. */
async function readRecord({ key, saved }: Entry): Promise<{ task?: unknown }> {
  const last = receivedOf(key).at(-1);
  if (last) return last;
  if (!saved?.id) return {};
  const task = (await client()).tasks.restore(saved);
  return task.refresh().then(
    ({ raw }) => ({ task: raw }),
    () => ({}),
  );
}
