import { FilesProgress } from "../form/FilesProgress";
import { isRunning, referencesOf } from "../results/reference";
import { filesOf, type Values } from "../storage";
import { isUnfinished } from "../tasks/store";
import { draft } from "./draft";

export function StartProgress() {
  const { steps, sent } = draft.value;
  const files = sent ? [] : steps.flatMap(({ values }) => filesOf(values));
  const open = steps.flatMap(({ values }) => runningIn(values));
  return (
    <>
      <FilesProgress files={files} label="Progress of the start" />
      {open.length > 0 && (
        <p class="facts">
          It is sent once {[...new Set(open)].join(" and ")} has ended. Keep
          this page open until then.
        </p>
      )}
    </>
  );
}

function runningIn(values: Values): string[] {
  return referencesOf(values).flatMap((reference) =>
    isRunning(reference) && isUnfinished(reference.id)
      ? `“${reference.name}”`
      : [],
  );
}
