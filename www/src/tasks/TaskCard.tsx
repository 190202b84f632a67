import { ChevronDown } from "lucide";
import { asSentence, formatCredits, formatDuration } from "mediagate/words";
import type { ComponentProps } from "preact";
import { Failure } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { Results } from "../results/Result";
import { itemsOf, show } from "../results/stage";
import { UseRunning } from "../results/UseRunning";
import {
  capabilityTitle,
  type Entry,
  headingOf,
  isActive,
  isOver,
  isSubmitting,
  stateOf,
} from "./entry";
import { InputActions } from "./InputActions";
import { now } from "./now";
import { Progress } from "./Progress";
import { Reconnecting } from "./Reconnecting";
import { reconnecting, reconnectNow } from "./reconnect";
import { Interrupted, Unresolved, UploadProgress } from "./Submission";
import { summaryOf } from "./search";
import { slowReads } from "./slow";
import { update } from "./store";
import { TaskButtons } from "./TaskButtons";
import { TaskThumbnail } from "./TaskThumbnail";

interface TaskCardProps {
  entry: Entry;
  newest: boolean;
  /** True inside a pipeline, which is removed with its tasks. */
  isStep?: boolean;
  item?: ComponentProps<"li">;
}

export function TaskCard({
  entry,
  newest,
  isStep = false,
  item,
}: TaskCardProps) {
  const over = isOver(entry.state);
  const heading = headingOf(entry);
  const summary = summaryOf(entry.values ?? {});
  const Heading = isStep ? "h4" : "h3";
  const open = entry.open ?? newest;
  const body = `task-${entry.key}`;
  const silent = isActive(entry)
    ? reconnecting.value.get(entry.key)
    : undefined;
  const { unansweredSince } = entry;
  const isUnanswered =
    isActive(entry) && !silent && unansweredSince !== undefined;
  const isSlow =
    isActive(entry) &&
    !silent &&
    !isUnanswered &&
    slowReads.value.has(entry.task?.id ?? "");
  // The gateway may have missed the end of another device's task, and a create has none.
  const isTimed =
    isActive(entry) || entry.paused || entry.endedAt !== undefined;
  const isForeign = entry.elsewhere && entry.pipeline === undefined;
  const end =
    entry.endedAt ??
    (isActive(entry) || entry.paused ? now.value : entry.startedAt);
  return (
    <li
      class="card task"
      data-state={entry.state}
      data-task={entry.task?.id}
      data-open={open}
      {...item}
    >
      <header>
        <Picture entry={entry} heading={heading} />
        <div class="what">
          <Heading>
            <button
              type="button"
              aria-expanded={open}
              aria-controls={body}
              title={heading}
              dir="auto"
              onClick={() => void update(entry.key, { open: !open })}
            >
              {heading} <Icon icon={ChevronDown} size={14} />
            </button>
          </Heading>
          <p class="facts">
            <span role="status">
              <span class="unseen">{heading}: </span>
              {stateOf(entry)}
              {silent && " · reconnecting"}
              {isUnanswered && " · no answer"}
              {isSlow && " · no answer yet"}
            </span>
            {" · "}
            {isTimed && <time>{formatDuration(end - entry.startedAt)}</time>}
            {isTimed && !isActive(entry) && " · "}
            {!isActive(entry) && <DateTime at={entry.startedAt} />}
            {entry.title && ` · ${capabilityTitle(entry)}`}
            {isForeign && " · made elsewhere"}
          </p>
          {summary && (
            <p class="facts summary" dir="auto">
              {summary}
            </p>
          )}
        </div>
        <TaskButtons entry={entry} isRemovable={!isStep} />
      </header>
      {isSubmitting(entry) && <UploadProgress entry={entry} />}
      {isActive(entry) && !isSubmitting(entry) && (
        <Progress entry={entry} heading={heading} />
      )}
      {isUnanswered && (
        <p class="facts">
          The media service has not answered for{" "}
          {formatDuration(now.value - unansweredSince)}. The gateway keeps
          trying.
        </p>
      )}
      {silent && !isSubmitting(entry) && (
        <Reconnecting
          what="task"
          silent={silent}
          again={() => reconnectNow(entry.key)}
        />
      )}
      {entry.step === "unknown" && <Unresolved entry={entry} />}
      {entry.step === "interrupted" && <Interrupted entry={entry} />}
      {entry.failure && !entry.step && (
        <Failure error={entry.failure} about={heading} />
      )}
      {entry.paused && !over && !entry.failure && (
        <p class="facts">
          Not watched. The media service cannot cancel a task: it goes on, and
          may be charged.
        </p>
      )}
      <div id={body} class="body" hidden={!open}>
        {open && (entry.state === "SUCCEEDED" || entry.outputs.length > 0) && (
          <Results entry={entry} />
        )}
        {open &&
          entry.warnings?.map((text) => (
            <p key={text} class="facts" dir="auto">
              Note: {asSentence(text)}
            </p>
          ))}
        {open && over && <Work entry={entry} />}
        {open && isActive(entry) && <UseRunning entry={entry} />}
        {open && isForeign && <p class="facts">{ELSEWHERE}</p>}
        {open && !isSubmitting(entry) && <InputActions entry={entry} />}
      </div>
    </li>
  );
}

/** The thumbnail of a task. If there is a result, a press puts it on the stage. */
function Picture({ entry, heading }: { entry: Entry; heading: string }) {
  const [item] = itemsOf(entry);
  if (!item) return <TaskThumbnail entry={entry} />;
  return (
    <button
      type="button"
      class="show"
      title="Show large"
      aria-label={`Show ${heading} large`}
      onClick={() => show(item)}
    >
      <TaskThumbnail entry={entry} />
    </button>
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

function Work({ entry: { model, credits, emulated } }: { entry: Entry }) {
  const facts = [
    model,
    credits !== undefined && formatCredits(credits, emulated !== undefined),
  ];
  const known = facts.filter(Boolean);
  return known.length > 0 ? <p class="facts">{known.join(" · ")}</p> : null;
}

const ELSEWHERE =
  "Made on another device, or before this browser was cleared. Its input is not stored here.";
