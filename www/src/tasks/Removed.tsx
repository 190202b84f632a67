/** The dialog with the tasks and pipelines of the last day that can be restored or deleted. */
import { useSignal } from "@preact/signals";
import { Workflow } from "lucide";
import { useRef } from "preact/hooks";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { useFocusAfter } from "../parts/useFocusAfter";
import { discardPipeline, restorePipeline } from "../pipelines/remove";
import { removed } from "../pipelines/store";
import { capabilityTitle, type Entry, headingOf } from "./entry";
import { summaryOf } from "./search";
import { removedEntries } from "./store";
import { TaskThumbnail } from "./TaskThumbnail";
import { discard, restoreTasks } from "./undo";
import "../style/removed.css";

/** The most rows in the dialog. The others follow as these go. */
const MAX_ROWS = 100;

interface RemovedItem {
  key: string;
  isPipeline: boolean;
  heading: string;
  kind: string;
  removedAt: number;
  /** The task; `undefined` for a pipeline. */
  task?: Entry;
  restore(): void;
  discard(): void;
}

export function Removed({ close }: { close(): void }) {
  const isAsking = useSignal(false);
  const items = removedItems();
  // Tasks change in one write. Each pipeline restores or deletes its own tasks.
  const pipelines = items.filter((item) => item.isPipeline);
  const tasks = items.filter((item) => !item.isPipeline);
  const keys = tasks.map((item) => item.key);
  const restoreAll = () => {
    restoreTasks(keys);
    for (const item of pipelines) item.restore();
  };
  const discardAll = () => {
    isAsking.value = false;
    void discard(keys);
    for (const item of pipelines) item.discard();
  };
  const hidden = items.length - MAX_ROWS;
  return (
    <Dialog heading="Recently removed" close={close}>
      <p class="facts" role="status">
        {items.length === 0
          ? "There is nothing to restore."
          : "Each is deleted a day after it was removed, here and on the gateway."}
      </p>
      {items.length > 0 && (
        <div class="choices">
          {isAsking.value ? (
            <>
              <p>This cannot be undone.</p>
              <button type="button" onClick={() => (isAsking.value = false)}>
                Keep them
              </button>
              <button type="button" class="primary" onClick={discardAll}>
                Delete all {items.length} for good
              </button>
            </>
          ) : (
            <>
              <button type="button" onClick={restoreAll}>
                Restore all {items.length}
              </button>
              <button
                type="button"
                class="quiet"
                onClick={() => (isAsking.value = true)}
              >
                Delete all…
              </button>
            </>
          )}
        </div>
      )}
      <ul class="removed">
        {items.slice(0, MAX_ROWS).map((item) => (
          <RemovedRow key={item.key} item={item} />
        ))}
      </ul>
      {hidden > 0 && <p class="facts">And {hidden} older ones.</p>}
    </Dialog>
  );
}

function RemovedRow({ item }: { item: RemovedItem }) {
  const { heading, kind, removedAt, task } = item;
  const summary = summaryOf(task?.values ?? {});
  const row = useRef<HTMLLIElement>(null);
  useFocusAfter(row, (element) => [
    element.nextElementSibling?.querySelector("button"),
    element.previousElementSibling?.querySelector("button"),
    element.closest("dialog")?.querySelector("button"),
  ]);
  const time = new Date(removedAt).toLocaleTimeString([], {
    timeStyle: "short",
  });
  return (
    <li ref={row}>
      {task ? (
        <TaskThumbnail entry={task} />
      ) : (
        <span class="thumbnail">
          <Icon icon={Workflow} size={20} />
        </span>
      )}
      <div class="what">
        <b dir="auto">{heading}</b>
        <span class="facts">
          {kind} · removed at {time}
        </span>
        {summary && (
          <span class="facts summary" dir="auto">
            {summary}
          </span>
        )}
      </div>
      <button
        type="button"
        class="small"
        aria-label={`Restore ${heading}`}
        onClick={item.restore}
      >
        Restore
      </button>
      <button
        type="button"
        class="quiet small"
        aria-label={`Delete ${heading} for good`}
        onClick={item.discard}
      >
        Delete
      </button>
    </li>
  );
}

function removedItems(): RemovedItem[] {
  const now = Date.now();
  const pipelines = new Set(removed.value.map((pipeline) => pipeline.id));
  const tasks = removedEntries.value
    .filter((task) => !pipelines.has(task.pipeline ?? ""))
    .map((task) => ({
      key: task.key,
      isPipeline: false,
      heading: headingOf(task),
      kind: capabilityTitle(task),
      removedAt: task.removedAt ?? now,
      task,
      restore: () => restoreTasks([task.key]),
      discard: () => void discard([task.key]),
    }));
  const whole = removed.value
    .filter((pipeline) => pipeline.restorableUntil > now)
    .map((pipeline) => ({
      key: `pipeline-${pipeline.id}`,
      isPipeline: true,
      heading: pipeline.title,
      kind: "Pipeline",
      removedAt: pipeline.removedAt,
      restore: () => restorePipeline(pipeline.id),
      discard: () => void discardPipeline(pipeline),
    }));
  return [...tasks, ...whole].sort(
    (one, other) => other.removedAt - one.removedAt,
  );
}
