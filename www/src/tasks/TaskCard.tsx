/** One task: what it is, how far it is, what came of it. */
import { CircleCheck, CircleX, LoaderCircle, Pause, Play, X, type IconNode } from "lucide";
import { findCapability } from "../catalogue";
import { Failure } from "../parts/Failure";
import { Icon } from "../parts/Icon";
import { elapsed } from "../words";
import { isOver, type Entry } from "./entry";
import { now } from "./now";
import { Result } from "./Result";
import { discard, startAgain, stop } from "./watch";

export function TaskCard({ entry }: { entry: Entry }) {
  const over = isOver(entry.state);
  const name = findCapability(entry.capability)?.title ?? entry.capability;
  const heading = entry.title || name;
  const watching = !over && !entry.paused;
  return (
    <li class="card task" data-state={entry.state} data-task={entry.saved.id}>
      <header>
        <State entry={entry} />
        <div class="what">
          <h3>{heading}</h3>
          <p class="facts">
            <span role="status">{entry.paused && !over ? "not watched" : entry.state || "submitted"}</span>
            {" · "}
            <time>{elapsed((entry.endedAt ?? (over ? entry.startedAt : now.value)) - entry.startedAt)}</time>
            {entry.title && ` · ${name}`}
          </p>
        </div>
        <Buttons entry={entry} watching={watching} over={over} heading={heading} />
      </header>
      {watching && <progress value={entry.progress} aria-label={`Progress of ${heading}`} />}
      {entry.failure && <Failure of={entry.failure} />}
      {entry.outputs.map((it, index) => (
        <Result key={it.url ?? it.asset_id ?? index} output={it} title={heading} />
      ))}
      {entry.state === "SUCCEEDED" && entry.outputs.length === 0 && <p class="broken">The service named no result.</p>}
    </li>
  );
}

const STATES: Record<string, IconNode> = { SUCCEEDED: CircleCheck, FAILED: CircleX, EXPIRED: CircleX };

function State({ entry }: { entry: Entry }) {
  const icon = STATES[entry.state] ?? (entry.paused ? Pause : LoaderCircle);
  return (
    <span class="state" data-state={entry.state} data-running={icon === LoaderCircle}>
      <Icon of={icon} size={18} />
    </span>
  );
}

function Buttons(props: { entry: Entry; watching: boolean; over: boolean; heading: string }) {
  const { entry, watching, over, heading } = props;
  return (
    <div class="buttons">
      {watching && (
        <button type="button" class="quiet square" title="Stop watching" aria-label={`Stop watching ${heading}`} onClick={() => stop(entry.key)}>
          <Icon of={Pause} />
        </button>
      )}
      {!over && !watching && (
        <button type="button" class="quiet square" title="Watch again" aria-label={`Watch ${heading} again`} onClick={() => startAgain(entry)}>
          <Icon of={Play} />
        </button>
      )}
      <button type="button" class="quiet square" title="Remove from the list" aria-label={`Remove ${heading}`} onClick={() => discard(entry.key)}>
        <Icon of={X} />
      </button>
    </div>
  );
}
