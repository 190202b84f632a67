import { RotateCcw } from "lucide";
import { useRef } from "preact/hooks";
import { FilesProgress } from "../form/FilesProgress";
import { uploadOf } from "../form/uploads";
import { Failure } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { useFocusAfter } from "../parts/useFocusAfter";
import { isRunning, referencesOf } from "../results/reference";
import { filesOf } from "../storage";
import { ASK_AGAIN } from "../words/errors";
import { type Entry, headingOf } from "./entry";
import { repeat } from "./rerun";
import { nearHeadings } from "./TaskButtons";
import { unknownError } from "./unsettled";

const PREPARING = new Set<Entry["step"]>(["waiting", "uploading"]);

/** The task that a create waits for, or the progress of the files and of the create. */
export function UploadProgress({ entry }: { entry: Entry }) {
  const { values = {} } = entry;
  const files = filesOf(values);
  const isUploaded = files.every((file) => uploadOf(file).value === "received");
  const label = `Progress of ${headingOf(entry)}`;
  if (entry.step === "waiting" && isUploaded) {
    const names = referencesOf(values).flatMap((reference) =>
      isRunning(reference) ? `“${reference.name}”` : [],
    );
    return (
      <div class="progress">
        <progress aria-label={label} />
        <p class="facts">
          It is sent once {[...new Set(names)].join(" and ")} has ended.
        </p>
      </div>
    );
  }
  return PREPARING.has(entry.step) ? (
    <FilesProgress files={files} label={label} />
  ) : (
    <progress aria-label={label} />
  );
}

export function Unresolved({ entry }: { entry: Entry }) {
  return (
    <>
      <Failure error={unknownError(entry)} about={headingOf(entry)} />
      {entry.resumable && <Repeat entry={entry} words={ASK_AGAIN} />}
    </>
  );
}

/** A submission that cannot go on by itself. Its create was not sent. */
export function Interrupted({ entry }: { entry: Entry }) {
  return (
    <>
      <p>
        {entry.resumable
          ? "The page was left before the task was sent. Nothing was created or charged."
          : "The page was left during the upload, and this browser did not store the files. Nothing was created or charged. Choose the files again and run it."}
      </p>
      {entry.resumable && <Repeat entry={entry} words="Try again" />}
    </>
  );
}

function Repeat({ entry, words }: { entry: Entry; words: string }) {
  const bar = useRef<HTMLDivElement>(null);
  useFocusAfter(bar, nearHeadings);
  return (
    <div ref={bar} class="bar">
      <button type="button" class="small" onClick={() => void repeat(entry)}>
        <Icon icon={RotateCcw} size={14} /> {words}
      </button>
    </div>
  );
}
