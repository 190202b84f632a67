/** One task: its capability, its progress and its results. */
import { ChevronDown } from "lucide";
import type { ComponentProps } from "preact";
import { Failure } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { Results } from "../results/Result";
import { UseRunning } from "../results/UseRunning";
import { elapsed } from "../words";
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
import { update } from "./store";
import { TaskButtons } from "./TaskButtons";
import { TaskThumbnail } from "./TaskThumbnail";

interface TaskCardProps {
  entry: Entry;
  newest: boolean;
  /** Whether it is shown inside a pipeline, with which it is removed. */
  isStep?: boolean;
  /** Where only a part of the list is in the page: what else the item has. */
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
  const Heading = isStep ? "h4" : "h3";
  const open = entry.open ?? newest;
  const body = `task-${entry.key}`;
  const isReconnecting = isActive(entry) && reconnecting.value.has(entry.key);
  // When a task of another device ended, the gateway may not have seen.
  const isTimed =
    !entry.elsewhere || isActive(entry) || entry.endedAt !== undefined;
  const isForeign = entry.elsewhere && entry.pipeline === undefined;
  const end =
    entry.endedAt ??
    (isActive(entry) || entry.paused ? now.value : entry.startedAt);
  return (
    <li
      class="card task"
      data-state={entry.state}
      data-task={entry.saved?.id}
      data-open={open}
      {...item}
    >
      <header>
        <TaskThumbnail entry={entry} />
        <div class="what">
          <Heading>
            <button
              type="button"
              aria-expanded={open}
              aria-controls={body}
              title={heading}
              onClick={() => void update(entry.key, { open: !open })}
            >
              {heading} <Icon of={ChevronDown} size={14} />
            </button>
          </Heading>
          <p class="facts">
            <span role="status">
              {stateOf(entry)}
              {isReconnecting && " · reconnecting"}
            </span>
            {" · "}
            {isTimed ? (
              <time>{elapsed(end - entry.startedAt)}</time>
            ) : (
              <time>
                {new Date(entry.startedAt).toLocaleString([], {
                  dateStyle: "medium",
                  timeStyle: "short",
                })}
              </time>
            )}
            {entry.title && ` · ${capabilityTitle(entry)}`}
            {isForeign && " · made elsewhere"}
          </p>
        </div>
        <TaskButtons entry={entry} isRemovable={!isStep} />
      </header>
      {isSubmitting(entry) && <UploadProgress entry={entry} />}
      {isActive(entry) && !isSubmitting(entry) && (
        <Progress entry={entry} heading={heading} />
      )}
      {isActive(entry) && entry.unansweredSince !== undefined && (
        <p class="facts" role="status">
          The media service has not answered for{" "}
          {elapsed(now.value - entry.unansweredSince)}. Still trying.
        </p>
      )}
      {isReconnecting && !isSubmitting(entry) && (
        <Reconnecting what="task" again={() => reconnectNow(entry.key)} />
      )}
      {entry.step === "unknown" && <Unresolved entry={entry} />}
      {entry.step === "interrupted" && <Interrupted entry={entry} />}
      {entry.failure && !entry.step && <Failure of={entry.failure} />}
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
        {open && isActive(entry) && <UseRunning entry={entry} />}
        {open && isForeign && <p class="facts">{ELSEWHERE}</p>}
        {open && !isSubmitting(entry) && <InputActions entry={entry} />}
      </div>
    </li>
  );
}

const ELSEWHERE =
  "Made on another device, or before this browser was cleared. What it was made from is not known here.";
