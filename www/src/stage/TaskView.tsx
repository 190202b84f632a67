/** A task on the stage: its state, its progress or refusal, its results, and what to do with them. */
import { asSentence, formatDuration } from "mediagate/words";
import { useState } from "preact/hooks";
import { Failure } from "../parts/Failure";
import {
  capabilityTitle,
  type Entry,
  headingOf,
  isActive,
  isOver,
  isSubmitting,
  stateOf,
} from "../tasks/entry";
import { now } from "../tasks/now";
import { Progress } from "../tasks/Progress";
import { Reconnecting } from "../tasks/Reconnecting";
import { reconnecting, reconnectNow } from "../tasks/reconnect";
import { Interrupted, Unresolved, UploadProgress } from "../tasks/Submission";
import { summaryOf } from "../tasks/search";
import { slowReads } from "../tasks/slow";
import { TaskButtons } from "../tasks/TaskButtons";
import { TaskThumbnail } from "../tasks/TaskThumbnail";
import { Outputs, Work } from "./Outputs";
import { STAGE_HEADING } from "./shown";
import { TaskActions } from "./TaskActions";

interface TaskViewProps {
  entry: Entry;
  /** The index of the result that is shown large. */
  output: number;
  /** Shows another result of the task. */
  chooseOutput(index: number): void;
  /** True inside a pipeline, which is removed with its tasks. */
  isStep?: boolean;
}

export function TaskView({
  entry,
  output,
  chooseOutput,
  isStep = false,
}: TaskViewProps) {
  const heading = headingOf(entry);
  const summary = summaryOf(entry.values ?? {});
  const hasResults = entry.state === "SUCCEEDED" || entry.outputs.length > 0;
  const isForeign = entry.elsewhere && entry.pipeline === undefined;
  const [isBroken, setBroken] = useState(false);
  return (
    <>
      <header>
        <div class="what">
          {isStep ? (
            <h3 dir="auto">{heading}</h3>
          ) : (
            <h2 id={STAGE_HEADING} tabIndex={-1} dir="auto">
              {heading}
            </h2>
          )}
          <p class="facts summary" dir="auto">
            <StateFacts entry={entry} />
            {summary && ` · ${summary}`}
          </p>
        </div>
        <TaskButtons entry={entry} isRemovable={!isStep} />
      </header>
      <Events entry={entry} heading={heading} />
      {isActive(entry) && !hasResults && (
        <div class="waiting" aria-hidden="true">
          <TaskThumbnail entry={entry} />
        </div>
      )}
      {hasResults && (
        <Outputs
          entry={entry}
          at={output}
          choose={chooseOutput}
          onBroken={setBroken}
        />
      )}
      {isOver(entry.state) && <Work entry={entry} />}
      {entry.warnings?.map((text) => (
        <p key={text} class="facts" dir="auto">
          Note: {asSentence(text)}
        </p>
      ))}
      {isForeign && <p class="facts">{ELSEWHERE}</p>}
      {!isSubmitting(entry) && (
        <TaskActions entry={entry} output={output} isBroken={isBroken} />
      )}
    </>
  );
}

/** The state, the duration and the time of a task. */
function StateFacts({ entry }: { entry: Entry }) {
  // The gateway may have missed the end of another device's task, and a create has none.
  const isTimed =
    isActive(entry) || entry.paused || entry.endedAt !== undefined;
  const end =
    entry.endedAt ??
    (isActive(entry) || entry.paused ? now.value : entry.startedAt);
  const isForeign = entry.elsewhere && entry.pipeline === undefined;
  return (
    <>
      {stateOf(entry)}
      {" · "}
      {isTimed && <time>{formatDuration(end - entry.startedAt)}</time>}
      {isTimed && !isActive(entry) && " · "}
      {!isActive(entry) && <DateTime at={entry.startedAt} />}
      {entry.title && ` · ${capabilityTitle(entry)}`}
      {isForeign && " · made elsewhere"}
    </>
  );
}

/** The progress of a task, and what it waits for or failed of. */
function Events({ entry, heading }: { entry: Entry; heading: string }) {
  const { unansweredSince, step } = entry;
  const isRunning = isActive(entry) && !isSubmitting(entry);
  const silent = isActive(entry)
    ? reconnecting.value.get(entry.key)
    : undefined;
  const isUnanswered = isActive(entry) && !silent;
  return (
    <>
      {isSubmitting(entry) && <UploadProgress entry={entry} />}
      {isRunning && <Progress entry={entry} heading={heading} />}
      {isUnanswered && unansweredSince !== undefined && (
        <p class="facts">
          The media service has not answered for{" "}
          {formatDuration(now.value - unansweredSince)}. The gateway keeps
          trying.
        </p>
      )}
      {isUnanswered &&
        unansweredSince === undefined &&
        slowReads.value.has(entry.task?.id ?? "") && (
          <p class="facts">There is no answer yet.</p>
        )}
      {silent && !isSubmitting(entry) && (
        <Reconnecting
          what="task"
          silent={silent}
          again={() => reconnectNow(entry.key)}
        />
      )}
      {step === "unknown" && <Unresolved entry={entry} />}
      {step === "interrupted" && <Interrupted entry={entry} />}
      {entry.failure && (!step || step === "refused") && (
        <Failure error={entry.failure} about={heading} />
      )}
      {entry.paused && !isOver(entry.state) && !entry.failure && (
        <p class="facts">
          Not watched. The media service cannot cancel a task: it goes on, and
          may be charged.
        </p>
      )}
    </>
  );
}

function DateTime({ at }: { at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()}>
      {date.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}
    </time>
  );
}

const ELSEWHERE =
  "Made on another device, or before this browser was cleared. Its input is not stored here.";
