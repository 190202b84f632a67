/** What a person can do with a task: one action as a button, and the others in menus. */
import { useSignal } from "@preact/signals";
import {
  Braces,
  CodeXml,
  Download,
  ExternalLink,
  Link,
  RotateCcw,
  SquarePen,
} from "lucide";
import { fieldsFor } from "mediagate/forms";
import { isOfInput } from "mediagate/words";
import { useRef } from "preact/hooks";
import { type Capability, findCapability } from "../catalogue";
import { showCode } from "../code/CodeDialog";
import { addAsset, addFile, fillForm } from "../form/fill";
import { linkTo } from "../form/link";
import { findOffered, offered } from "../offers";
import { copyLink } from "../parts/copyLink";
import { Icon } from "../parts/Icon";
import { Menu } from "../parts/Menu";
import { useFocusAfter } from "../parts/useFocusAfter";
import { useChunk } from "../parts/useLoaded";
import {
  download,
  fetchFile,
  type Loadable,
  loadables,
} from "../results/output";
import {
  mediumOfCapability,
  type RunningReference,
} from "../results/reference";
import { UseIn } from "../results/UseIn";
import type { Values } from "../storage";
import { type Entry, headingOf, isActive, isOver } from "../tasks/entry";
import { rerun } from "../tasks/rerun";
import { nearHeadings } from "../tasks/TaskButtons";
import { kindWord } from "../words";
import { choose } from "./shown";

interface TaskActionsProps {
  entry: Entry;
  /** The index of the result that is shown large. */
  output: number;
  /** True if that result could not be loaded, so that nothing can be done with it. */
  isBroken: boolean;
}

export function TaskActions({ entry, output: at, isBroken }: TaskActionsProps) {
  const { values, state, step, failure } = entry;
  const all = loadables(entry);
  const output = isBroken ? undefined : (all[at] ?? all[0]);
  const capability = findOffered(entry.capability);
  const isRefused = step === "refused";
  const hasFailed = isRefused || (isOver(state) && state !== "SUCCEEDED");
  // An equal request would fail again.
  const isInputWrong = hasFailed && failure !== undefined && isOfInput(failure);
  const bar = useRef<HTMLDivElement>(null);
  // “Try again” shows another task.
  useFocusAfter(bar, nearHeadings);
  return (
    <div ref={bar} class="bar">
      {hasFailed && values && capability && !isInputWrong && (
        <button type="button" class="small" onClick={() => void rerun(entry)}>
          <Icon icon={RotateCcw} size={14} /> Try again
        </button>
      )}
      {isInputWrong && values && capability && (
        <EditButton {...{ entry, values, capability }} />
      )}
      {output && (
        <button
          type="button"
          class="small"
          aria-label={`Download ${output.name}`}
          onClick={() => void download(output)}
        >
          <Icon icon={Download} size={14} /> Download
        </button>
      )}
      {output && <UseResult entry={entry} output={output} at={at} />}
      {isActive(entry) && <UseRunning entry={entry} />}
      <UseAssets entry={entry} />
      <More entry={entry} output={output} />
    </div>
  );
}

interface UseResultProps {
  entry: Entry;
  output: Loadable;
  at: number;
}

function UseResult({ entry, output, at }: UseResultProps) {
  return (
    <UseIn
      key={output.url}
      name={output.name}
      targets={fieldsFor(offered.value, output.kind)}
      use={async ({ capability, field }) => {
        const file = output.reference ?? (await fetchFile(output));
        addFile(capability, field, file);
        // The person goes on with this result, so the next form has it beside it.
        choose({ kind: "task", key: entry.key, output: at });
      }}
    />
  );
}

/** The fields that take the result of a running task. The next request waits for the result. */
function UseRunning({ entry }: { entry: Entry }) {
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

function UseAssets({ entry }: { entry: Entry }) {
  const ids = entry.outputs.flatMap(({ assetId }) => assetId ?? []);
  return (
    <>
      {ids.map((id) => (
        <UseIn
          key={id}
          name={`asset ${id}`}
          targets={fieldsFor(offered.value, "asset")}
          use={({ capability, field }) => addAsset(capability, field, id)}
        />
      ))}
    </>
  );
}

interface EditButtonProps {
  entry: Entry;
  values: Values;
  capability: Capability;
}

function EditButton({ entry, values, capability }: EditButtonProps) {
  return (
    <button
      type="button"
      class="small"
      title="Puts the values of this task into the form, where you can change them"
      onClick={() => fillForm(capability, values, headingOf(entry))}
    >
      <Icon icon={SquarePen} size={14} /> Edit and run again
    </button>
  );
}

interface MoreProps {
  entry: Entry;
  output: Loadable | undefined;
}

function More({ entry, output }: MoreProps) {
  const { values } = entry;
  const heading = headingOf(entry);
  const capability = findOffered(entry.capability);
  const isJsonOpen = useSignal(false);
  const dialog = useChunk(() => import("../tasks/TaskJson"), isJsonOpen.value);
  return (
    <>
      <Menu label={`More for ${heading}`}>
        {output && (
          <a
            class="open"
            href={output.url}
            target="_blank"
            rel="noopener noreferrer"
          >
            <Icon icon={ExternalLink} size={14} /> Open{" "}
            {kindWord(output.kind) ?? "result"}
          </a>
        )}
        {output && capability && (
          <button
            type="button"
            onClick={() =>
              void copyLink(linkTo(capability, values ?? {}, output.url))
            }
          >
            <Icon icon={Link} size={14} /> Copy a link to the result
          </button>
        )}
        {values && capability && (
          <EditButton {...{ entry, values, capability }} />
        )}
        {values && capability && (
          <button type="button" onClick={() => showCode(capability, values)}>
            <Icon icon={CodeXml} size={14} /> Show the code
          </button>
        )}
        <button type="button" onClick={() => (isJsonOpen.value = true)}>
          <Icon icon={Braces} size={14} /> JSON
        </button>
      </Menu>
      {isJsonOpen.value && dialog && (
        <dialog.TaskJson
          entry={entry}
          close={() => (isJsonOpen.value = false)}
        />
      )}
    </>
  );
}
