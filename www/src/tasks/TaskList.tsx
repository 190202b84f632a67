/** The strip below the stage: the tasks and the pipelines as tiles, newest first. */
import { useSignal } from "@preact/signals";
import { Bell, BellRing, Search, Trash2 } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/Icon";
import { IconButton } from "../parts/IconButton";
import { useChunk } from "../parts/useLoaded";
import { wide } from "../parts/wide";
import { draft } from "../pipelines/draft";
import { type Pipeline, pipelines, removed } from "../pipelines/store";
import { listedTasks } from "../stage/shown";
import { Tiles } from "../welcome/Introduction";
import { ClearFinished } from "./ClearFinished";
import { type Entry, isOver } from "./entry";
import { notifications, toggleNotifications } from "./notifications";
import { Older } from "./Older";
import { search } from "./search";
import { isLoaded, removedEntries } from "./store";
import { DraftTile, PipelineTile, TaskTile } from "./Tile";

/** The fewest tasks with a search. */
const MIN_SEARCHED = 6;
/** The number of tiles that a press adds. More would load too many pictures. */
const PAGE = 40;

export function TaskList() {
  const query = useSignal("");
  const count = useSignal(PAGE);
  const all = listedTasks.value;
  const isSearched = all.length >= MIN_SEARCHED;
  const isFiltered = isSearched && query.value.trim() !== "";
  const found = isSearched ? search(all, query.value) : all;
  const over = found.filter(
    ({ state, step }) => isOver(state) || step === "refused",
  );
  const items = merge(found, isFiltered ? [] : pipelines.value);
  const strip = useRef<HTMLUListElement>(null);
  // A new tile is in view, also if a person has scrolled to the older ones.
  useEffect(() => strip.current?.scrollTo({ left: 0 }), [items[0]?.at]);
  const isEmpty =
    items.length === 0 && draft.value.steps.length === 0 && isLoaded.value;
  return (
    <section class="tasks" aria-labelledby="tasks-heading">
      <header class="bar">
        <h2 id="tasks-heading" tabIndex={-1}>
          {isEmpty && wide.value ? "Try one of these" : "Tasks"}
        </h2>
        {isSearched && (
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
        )}
        <p class="facts" role="status">
          {isFiltered && `${found.length} of ${all.length} tasks match`}
        </p>
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
      </header>
      <ul ref={strip} class="strip" aria-label="Tasks">
        <DraftTile />
        {items
          .slice(0, count.value)
          .map((item) =>
            item.kind === "task" ? (
              <TaskTile key={item.entry.key} entry={item.entry} />
            ) : (
              <PipelineTile key={item.pipeline.id} pipeline={item.pipeline} />
            ),
          )}
        {items.length > count.value && (
          <li class="more-tiles">
            <button
              type="button"
              class="quiet"
              onClick={() => (count.value += PAGE)}
            >
              Show {Math.min(PAGE, items.length - count.value)} more
            </button>
          </li>
        )}
        {isEmpty && <Empty />}
        <Older />
      </ul>
    </section>
  );
}

/** The tiles of the introduction in a wide page, until a task takes their place. */
function Empty() {
  return wide.value ? (
    <li class="start">
      <Tiles />
    </li>
  ) : (
    <li class="empty">What you run appears here, and stays.</li>
  );
}

type Item =
  | { kind: "task"; at: number; entry: Entry }
  | { kind: "pipeline"; at: number; pipeline: Pipeline };

/** Merges tasks and pipelines, newest first. */
function merge(
  tasks: readonly Entry[],
  listed: readonly Pipeline[],
): readonly Item[] {
  const items: Item[] = [
    ...tasks.map(
      (entry) => ({ kind: "task", at: entry.startedAt, entry }) as const,
    ),
    ...listed.map((pipeline) => {
      const at = Date.parse(pipeline.createdAt);
      return { kind: "pipeline", at, pipeline } as const;
    }),
  ];
  return items.sort((one, other) => other.at - one.at);
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
