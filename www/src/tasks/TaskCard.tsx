/** One task: its capability, its progress and its results. */
import { ChevronDown, CodeXml, Pause, Play, RotateCcw, X } from "lucide";
import { findCapability } from "../catalogue";
import { showCode } from "../code/CodeDialog";
import { modelOf } from "../form/model";
import { Failure } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { Results } from "../results/Result";
import { go } from "../route";
import { elapsed } from "../words";
import { type Entry, isOver } from "./entry";
import { now } from "./now";
import { Progress } from "./Progress";
import { restart } from "./resume";
import { update } from "./store";
import { TaskThumbnail } from "./TaskThumbnail";
import { inputSignal } from "./taskInput";
import { discard, stop } from "./watch";

export function TaskCard({ entry, newest }: { entry: Entry; newest: boolean }) {
  const over = isOver(entry.state);
  const name = findCapability(entry.capability)?.title ?? entry.capability;
  const heading = entry.title || name;
  const watching = !over && !entry.paused;
  const open = entry.open ?? newest;
  const body = `task-${entry.key}`;
  return (
    <li class="card task" data-state={entry.state} data-task={entry.saved?.id} data-open={open}>
      <header>
        <TaskThumbnail entry={entry} />
        <div class="what">
          <h3>
            <button
              type="button"
              aria-expanded={open}
              aria-controls={body}
              title={heading}
              onClick={() => update(entry.key, { open: !open })}
            >
              {heading} <Icon of={ChevronDown} size={14} />
            </button>
          </h3>
          <p class="facts">
            <span role="status">{stateOf(entry)}</span>
            {" · "}
            <time>{elapsed((entry.endedAt ?? (over ? entry.startedAt : now.value)) - entry.startedAt)}</time>
            {entry.title && ` · ${name}`}
          </p>
        </div>
        <Buttons entry={entry} watching={watching} over={over} heading={heading} />
      </header>
      {watching && <Progress entry={entry} heading={heading} />}
      {entry.failure && <Failure of={entry.failure} />}
      {entry.paused && !over && !entry.failure && (
        <p class="facts">Not watched. The media service cannot cancel a task: it goes on, and may be charged.</p>
      )}
      <div id={body} class="body" hidden={!open}>
        {open && (entry.state === "SUCCEEDED" || entry.outputs.length > 0) && <Results entry={entry} />}
        {open && <InputActions entry={entry} over={over} />}
      </div>
    </li>
  );
}

function stateOf(entry: Entry): string {
  if (entry.paused && !isOver(entry.state)) return "not watched";
  return entry.state || (entry.saved ? "submitted" : "sending");
}

function Buttons(props: { entry: Entry; watching: boolean; over: boolean; heading: string }) {
  const { entry, watching, over, heading } = props;
  return (
    <div class="buttons">
      {watching && (
        <button
          type="button"
          class="quiet square"
          title="Stop watching"
          aria-label={`Stop watching ${heading}`}
          onClick={() => stop(entry.key)}
        >
          <Icon of={Pause} />
        </button>
      )}
      {!over && !watching && (
        <button
          type="button"
          class="quiet square"
          title="Watch again"
          aria-label={`Watch ${heading} again`}
          onClick={() => restart(entry)}
        >
          <Icon of={Play} />
        </button>
      )}
      <button
        type="button"
        class="quiet square"
        title="Remove from the list"
        aria-label={`Remove ${heading}`}
        onClick={() => discard(entry.key)}
      >
        <Icon of={X} />
      </button>
    </div>
  );
}

/** Actions on the input that the task was created from. */
function InputActions({ entry, over }: { entry: Entry; over: boolean }) {
  const input = inputSignal(entry.key).value;
  const capability = findCapability(entry.capability);
  if (!input || !capability) return null;
  const failed = over && entry.state !== "SUCCEEDED";
  const fill = () => {
    const model = modelOf(capability);
    model.restore(input.values);
    go(capability);
    return model;
  };
  return (
    <div class="bar">
      {failed && (
        <button type="button" class="small" onClick={() => void fill().submit()}>
          <Icon of={RotateCcw} size={14} /> Try again
        </button>
      )}
      <button type="button" class="quiet small" onClick={fill}>
        {!failed && <Icon of={RotateCcw} size={14} />} Edit and run again
      </button>
      <button type="button" class="quiet small" onClick={() => showCode(capability, input.values)}>
        <Icon of={CodeXml} size={14} /> Show the code
      </button>
    </div>
  );
}
