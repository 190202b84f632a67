/** A task or a pipeline in the strip. A press puts it on the stage. */
import { Workflow } from "lucide";
import { formatDuration, stateWord } from "mediagate/words";
import type { ComponentChildren } from "preact";
import { Icon } from "../parts/Icon";
import { DRAFT_HEADING, draft } from "../pipelines/draft";
import {
  headingOf as headingOfPipeline,
  keyOf,
  type Pipeline,
} from "../pipelines/store";
import { type Loadable, loadables } from "../results/output";
import { Thumbnail } from "../results/Thumbnail";
import { type Choice, choose, shownKey } from "../stage/shown";
import {
  type Entry,
  headingOf,
  isActive,
  isSubmitting,
  stateOf,
} from "./entry";
import { now } from "./now";
import { reconnecting } from "./reconnect";
import { StateIcon } from "./StateIcon";
import { slowReads } from "./slow";
import { findTask } from "./store";
import { TaskThumbnail } from "./TaskThumbnail";

export function TaskTile({ entry }: { entry: Entry }) {
  const heading = headingOf(entry);
  return (
    <li
      class="task"
      data-state={entry.state}
      data-step={entry.step}
      data-task={entry.task?.id}
    >
      <TaskThumbnail entry={entry} />
      <Heading
        id={tileOf(entry.key)}
        choice={{ kind: "task", key: entry.key }}
        isShown={shownKey.value === `task ${entry.key}`}
      >
        {heading}
      </Heading>
      <p class="facts">
        <span role="status">
          <span class="unseen">{heading}: </span>
          {stateWords(entry)}
        </span>
        {isActive(entry) && (
          <time> · {formatDuration(now.value - entry.startedAt)}</time>
        )}
      </p>
      {isActive(entry) && (
        <progress
          value={isSubmitting(entry) ? undefined : entry.progress}
          aria-hidden="true"
        />
      )}
    </li>
  );
}

function stateWords(entry: Entry): string {
  const { key, unansweredSince, task } = entry;
  const state = stateOf(entry);
  if (!isActive(entry)) return state;
  if (reconnecting.value.has(key)) return `${state} · reconnecting`;
  if (unansweredSince !== undefined) return `${state} · no answer`;
  return slowReads.value.has(task?.id ?? "")
    ? `${state} · no answer yet`
    : state;
}

export function PipelineTile({ pipeline }: { pipeline: Pipeline }) {
  const { id, state, steps } = pipeline;
  const heading = headingOfPipeline(pipeline);
  const done = steps?.filter((step) => step.state === "SUCCEEDED").length;
  return (
    <li class="task pipeline" data-state={state} data-pipeline={id}>
      <Picture source={pictureOf(pipeline)}>
        <StateIcon state={state} />
      </Picture>
      <Heading
        id={tileOf(keyOf(pipeline))}
        choice={{ kind: "pipeline", id }}
        isShown={shownKey.value === `pipeline ${id}`}
      >
        {heading}
      </Heading>
      <p class="facts">
        <span role="status">
          <span class="unseen">{heading}: </span>
          {stateWord(state)}
          {reconnecting.value.has(keyOf(pipeline)) && " · reconnecting"}
        </span>
        {steps && ` · ${done} of ${steps.length}`}
      </p>
    </li>
  );
}

/** The new pipeline. */
export function DraftTile() {
  const { length } = draft.value.steps;
  if (length === 0) return null;
  return (
    <li class="task new">
      <Picture />
      <Heading
        id={tileOf(DRAFT_HEADING)}
        choice={{ kind: "draft" }}
        isShown={shownKey.value === "draft"}
      >
        New pipeline
      </Heading>
      <p class="facts">
        {length} {length === 1 ? "step" : "steps"}
      </p>
    </li>
  );
}

/** Returns the newest result of a pipeline. */
function pictureOf({ steps = [] }: Pipeline): Loadable | undefined {
  return steps
    .flatMap(({ taskId = "" }) => findTask(taskId) ?? [])
    .flatMap(loadables)
    .at(-1);
}

function Picture({
  source,
  children,
}: {
  source?: Loadable | undefined;
  children?: ComponentChildren;
}) {
  return (
    <span class="picture">
      {source ? (
        <Thumbnail key={source.url} source={source} />
      ) : (
        <span class="thumbnail">
          <Icon icon={Workflow} size={20} />
        </span>
      )}
      {children}
    </span>
  );
}

interface HeadingProps {
  id: string;
  choice: Choice;
  isShown: boolean;
  children: string;
}

function Heading({ id, choice, isShown, children }: HeadingProps) {
  return (
    <h3>
      <button
        type="button"
        id={id}
        title={children}
        aria-current={isShown}
        dir="auto"
        onClick={() => choose(choice)}
      >
        {children}
      </button>
    </h3>
  );
}

/** Returns the id of the button of a tile. */
export function tileOf(key: string): string {
  return `tile-${key}`;
}
