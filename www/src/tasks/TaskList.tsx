import { useSignal } from "@preact/signals";
import { Bell, BellRing, Images, Inbox, List, Search, Trash2 } from "lucide";
import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import { useChunk } from "../parts/useLoaded";
import { Pipelines } from "../pipelines/Pipelines";
import { isInside } from "../pipelines/steps";
import { pipelines, removed } from "../pipelines/store";
import { items } from "../results/stage";
import { ClearFinished } from "./ClearFinished";
import { type Entry, isOver } from "./entry";
import { notifications, toggleNotifications } from "./notifications";
import { Older } from "./Older";
import { search } from "./search";
import { entries, isLoaded, removedEntries } from "./store";
import { TaskCard } from "./TaskCard";

/** The fewest tasks with a search. */
const MIN_SEARCHED = 6;
/** The most cards of a list that is in the page as a whole. */
const MAX_CARDS = 30;

export function TaskList() {
  const query = useSignal("");
  const isGallery = useSignal(false);
  const gallery = useChunk(() => import("../results/Gallery"), isGallery.value);
  const listed = new Map(
    pipelines.value.map((pipeline) => [pipeline.id, pipeline]),
  );
  const all = entries.value.filter((entry) => {
    const pipeline = listed.get(entry.pipeline ?? "");
    return !pipeline || !isInside(entry, pipeline);
  });
  const isSearched = all.length >= MIN_SEARCHED;
  const found = isSearched ? search(all, query.value) : all;
  const over = found.filter(({ state }) => isOver(state));
  return (
    <section class="tasks" aria-labelledby="tasks-heading">
      <header class="bar">
        <h2 id="tasks-heading" tabIndex={-1}>
          Tasks
        </h2>
        {over.length > 0 && <ClearFinished finished={over} />}
        <RemovedButton />
        {all.length > 0 && notifications.value !== undefined && (
          <IconButton
            icon={notifications.value ? BellRing : Bell}
            title="Notify me when a task ends"
            aria-pressed={notifications.value}
            onClick={() => void toggleNotifications()}
          />
        )}
        {items.value.length > 0 && (
          <IconButton
            icon={isGallery.value ? List : Images}
            title="Show as a gallery"
            aria-pressed={isGallery.value}
            onClick={() => (isGallery.value = !isGallery.value)}
          />
        )}
      </header>
      <Pipelines />
      {isSearched && (
        <>
          <label class="filter">
            <Icon icon={Search} />
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
      ) : gallery ? (
        <gallery.Gallery entries={found} />
      ) : (
        <Cards found={found} all={all} />
      )}
      <Older />
    </section>
  );
}

function RemovedButton() {
  const isOpen = useSignal(false);
  const view = useChunk(() => import("./Removed"), isOpen.value);
  const hasRemoved =
    removedEntries.value.length > 0 ||
    removed.value.some(({ restorableUntil }) => restorableUntil > Date.now());
  return (
    <>
      {(hasRemoved || isOpen.value) && (
        <IconButton
          icon={Trash2}
          title="Recently removed"
          onClick={() => (isOpen.value = true)}
        />
      )}
      {isOpen.value && view && (
        <view.Removed close={() => (isOpen.value = false)} />
      )}
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <Icon icon={Inbox} size={24} />
      <p>
        Run a capability, and its task appears here. Tasks stay when you reload
        the page.
      </p>
    </div>
  );
}

/** The cards of the tasks. A long list has only a part of them in the page. */
function Cards({
  found,
  all,
}: {
  found: readonly Entry[];
  all: readonly Entry[];
}) {
  // A list that was long stays as it is, so that the cards keep their state.
  const isLong = useSignal(false);
  if (all.length > MAX_CARDS) isLong.value = true;
  const part = useChunk(() => import("./VirtualList"), isLong.value);
  const newest = all[0];
  if (part) return <part.VirtualList entries={found} newest={newest} />;
  return (
    <ul>
      {found.slice(0, MAX_CARDS).map((entry) => (
        <TaskCard key={entry.key} entry={entry} newest={entry === newest} />
      ))}
    </ul>
  );
}
