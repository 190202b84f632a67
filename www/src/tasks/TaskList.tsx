/** Every task of this browser, newest first; a long list in part, and found by its words. */
import { useSignal } from "@preact/signals";
import { Inbox, Search } from "lucide";
import { chunk } from "../parts/chunk";
import { Icon } from "../parts/Icon";
import { useLoaded } from "../parts/useLoaded";
import { Pipelines } from "../pipelines/Pipelines";
import { isInside } from "../pipelines/steps";
import { pipelines } from "../pipelines/store";
import { type Entry, isOver } from "./entry";
import { Older } from "./Older";
import { search } from "./search";
import { entries, isLoaded } from "./store";
import { TaskCard } from "./TaskCard";
import { focusTask, removeTasks } from "./undo";

/** A few tasks are found without a search. */
const MIN_SEARCHED = 6;
/** More cards than these are not in the page at once. */
const MAX_CARDS = 30;

export function TaskList() {
  const query = useSignal("");
  const listed = new Map(pipelines.value.map((it) => [it.id, it]));
  const all = entries.value.filter((it) => {
    const pipeline = listed.get(it.pipeline ?? "");
    return !pipeline || !isInside(it, pipeline);
  });
  const isSearched = all.length >= MIN_SEARCHED;
  const found = isSearched ? search(all, query.value) : all;
  const over = found.filter((it) => isOver(it.state));
  const clear = () => {
    removeTasks(over.map((it) => it.key));
    requestAnimationFrame(() => focusTask(undefined));
  };
  return (
    <section class="tasks" aria-labelledby="tasks-heading">
      <header class="bar">
        <h2 id="tasks-heading" tabIndex={-1}>
          Tasks
        </h2>
        {over.length > 0 && (
          <button type="button" class="quiet" onClick={clear}>
            Clear finished
          </button>
        )}
      </header>
      <Pipelines />
      {isSearched && (
        <>
          <label class="filter">
            <Icon of={Search} />
            <input
              type="search"
              aria-label="Search tasks"
              placeholder="Search"
              value={query.value}
              onInput={(event) => (query.value = event.currentTarget.value)}
            />
          </label>
          <p class="facts" role="status">
            {query.value.trim() !== "" &&
              `${found.length} of ${all.length} tasks match`}
          </p>
        </>
      )}
      {entries.value.length + listed.size === 0 && isLoaded.value ? (
        <Empty />
      ) : (
        <Cards found={found} all={all} />
      )}
      <Older />
    </section>
  );
}

function Empty() {
  return (
    <div class="empty">
      <Icon of={Inbox} size={24} />
      <p>
        Run a capability, and its task appears here. Tasks stay when you reload
        the page.
      </p>
    </div>
  );
}

/** The list in part is loaded when it is needed; it then stays, so that the cards keep their state. */
function Cards({
  found,
  all,
}: {
  found: readonly Entry[];
  all: readonly Entry[];
}) {
  const isLong = useSignal(false);
  if (all.length > MAX_CARDS) isLong.value = true;
  const Part = useLoaded(
    async () =>
      isLong.value
        ? (await chunk(() => import("./VirtualList"))).VirtualList
        : undefined,
    [isLong.value],
  );
  const newest = all[0];
  if (Part) return <Part entries={found} newest={newest} />;
  return (
    <ul>
      {found.slice(0, MAX_CARDS).map((it) => (
        <TaskCard key={it.key} entry={it} newest={it === newest} />
      ))}
    </ul>
  );
}
