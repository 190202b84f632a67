import type { Scope } from "./connection.js";
import { invalidArgument } from "./error.js";
import { Followed, setHidden } from "./followed.js";
import type { TaskReference } from "./generated/capabilities.js";
import { historyPage, pages } from "./history.js";
import { copyOf } from "./json.js";
import { checkId, isObject } from "./options.js";
import { Task } from "./task.js";
import type { CallOptions } from "./types/calls.js";
import type {
  HistoryEntry,
  ListOptions,
  PagePromise,
  TaskPage,
} from "./types/history.js";
import type { SavedTask, TaskSnapshot } from "./types/task.js";
import type * as wasm from "./wasm/mediagate.js";

/** The tasks of a user: `media.tasks`. The methods of the client create them. */
export class Tasks {
  /** @internal */
  declare readonly scope: () => Scope;

  /** @internal */
  constructor(scope: Scope) {
    setHidden(this, "scope", () => scope);
  }

  /**
   * Lists the creates of this user on any device, newest first, for as many days as the gateway's
   * `HISTORY_DAYS` says: one by default.
   *
   * @returns A page. The promise and the page can be iterated by `for await`: they yield the
   * entries of this page and of all that follow. `media.tasks.restore(entry)` restores an entry's
   * task, and an entry can be an input as its task can. A page has the pipelines too, but an
   * iteration leaves them out: `media.pipelines.list` iterates them.
   * @throws {MediagateError} `invalid_input` with the `reason` `invalid_parameter` for a wrong
   * `limit` or `cursor`.
   */
  list(options?: ListOptions): PagePromise<TaskPage, HistoryEntry> {
    return pages(
      options,
      (page) => historyPage(this.scope(), page),
      (page) => page.tasks,
    );
  }

  /**
   * Restores a task after a reload. It sends no request: `state` is `undefined` until the task is
   * polled or awaited.
   *
   * @param saved - The result of `JSON.parse(JSON.stringify(task))` on the earlier page, or the
   * task's entry in the history.
   * @returns The task. An unknown id is an error of the first request: `invalid_input` with the
   * `reason` `unknown_task`.
   * @throws {MediagateError} `invalid_argument` for any other value.
   */
  restore(saved: SavedTask): Task {
    const scope = this.scope();
    const { instance, client } = scope.connection;
    const { id, capability, result } = saved ?? ({} as Partial<SavedTask>);
    if (typeof capability === "string" && typeof id === "string") {
      if (id.trim())
        return taskOf(
          scope,
          instance.run(() => client.task(id, capability)),
        );
      const copy = copyOf(result);
      if (copy !== undefined)
        return taskOf(
          scope,
          instance.run(() => client.finishedTask(capability, copy)),
        );
    }
    throw invalidArgument(
      "this is not a saved task",
      "give JSON.parse(JSON.stringify(task))",
    );
  }

  /**
   * Removes a task that has ended from the history. The task itself stays readable by its id. Of a
   * result that came without a task, nothing stays.
   *
   * @param task - The task, its entry in the history, or its id.
   * @throws {MediagateError} `invalid_input` with the `reason` `task_running` or `unknown_task`;
   * `invalid_argument` for another value, such as a pipeline.
   */
  async forget(
    task: TaskReference | string,
    options?: CallOptions,
  ): Promise<void> {
    const scope = this.scope();
    const checked = scope.check(options);
    const id = checkId(task, "give tasks.forget a task, or its entry or id");
    // A pipeline has no capability.
    if (isObject(task) && typeof task.capability !== "string")
      throw invalidArgument(
        "this is not a task",
        "give one, or its entry or id, and a pipeline to pipelines.forget",
      );
    await scope.call(checked, (client, limits) =>
      client.forgetTask(id, limits),
    );
  }
}

/** Returns the caller's object for a task of the wasm. @internal */
export function taskOf(scope: Scope, handle: wasm.Task): Task {
  return new Task(new Followed<TaskSnapshot>(scope, handle));
}
