/** Watches each task of the list that runs, in every tab, until its end. */
import type { TaskSnapshot } from "mediagate";
import { observeTask } from "mediagate/observers";
import { toShownError } from "../parts/Failure";
import { isActive, isOver } from "./entry";
import { keepRecord } from "./received";
import { type Follower, followAll } from "./reconnect";
import { entries, listedMedia, showSnapshot, update } from "./store";

export function watchTasks(): void {
  followAll(() => {
    const media = listedMedia.value;
    const wanted = new Map<string, Follower<TaskSnapshot>>();
    for (const entry of media ? entries.value : []) {
      const { key, task } = entry;
      // A result that came without a task has no updates.
      if (!media || !task?.id || !isActive(entry)) continue;
      wanted.set(key, {
        media,
        observe: () => observeTask(task),
        show(snapshot) {
          // The task is not read yet.
          if (snapshot.raw === undefined) return;
          keepRecord(key, snapshot.raw);
          showSnapshot(key, snapshot);
        },
        isOver,
        stopped: (failure) =>
          void update(key, { failure: toShownError(failure), paused: true }),
      });
    }
    return wanted;
  });
}
