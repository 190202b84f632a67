/** Watches each task of the list that runs, in every tab, until its end. */
import type { TaskSnapshot } from "mediagate";
import { observeTask } from "mediagate/observers";
import { connected } from "../client";
import { toShownError } from "../parts/Failure";
import { isActive, isOver } from "./entry";
import { keepRecord } from "./received";
import { type Follower, followAll } from "./reconnect";
import { entries, see, source, update } from "./store";

export function watchTasks(): void {
  followAll(() => {
    const media = source.value ?? connected.value;
    const wanted = new Map<string, Follower<TaskSnapshot>>();
    for (const entry of media ? entries.value : []) {
      const { key, task } = entry;
      // A result that came without a task has no updates.
      if (!media || !task?.id || !isActive(entry)) continue;
      wanted.set(key, {
        media,
        // Without a store, the task may be of an earlier client.
        observe: () =>
          observeTask(source.peek() ? task : media.tasks.restore(task)),
        show(snapshot) {
          // The task is not read yet.
          if (snapshot.raw === undefined) return;
          keepRecord(key, snapshot.raw);
          see(key, snapshot);
        },
        isOver,
        stopped: (failure) =>
          void update(key, { failure: toShownError(failure), paused: true }),
      });
    }
    return wanted;
  });
}
