import { type Followed, Following } from "./followed.js";
import type { CapabilityName } from "./generated/capabilities.js";
import type { CallOptions } from "./types/calls.js";
import type { SavedTask, TaskSnapshot } from "./types/task.js";

/** A task. Iterating it yields its snapshots. It has the members of the last one. */
export class Task extends Following<TaskSnapshot> implements TaskSnapshot {
  readonly capability: CapabilityName;

  /** @internal */
  constructor(followed: Followed<TaskSnapshot>) {
    super(followed);
    this.capability = followed.last.capability;
  }

  get state() {
    return this.snapshot.state;
  }

  get progress() {
    return this.snapshot.progress;
  }

  get eta() {
    return this.snapshot.eta;
  }

  get outputs() {
    return this.snapshot.outputs;
  }

  get raw() {
    return this.snapshot.raw;
  }

  /**
   * Waits until the task succeeds.
   *
   * @param options - The limits of the call. They end only the wait, and not the task.
   * @returns The last snapshot, with the outputs.
   * @throws {MediagateError} `task_failed`, `task_expired` or `task_unfinished`, with the last
   * snapshot as `task`; `invalid_input` with the `reason` `unknown_task` if there is no such task.
   */
  async done(options?: CallOptions): Promise<TaskSnapshot> {
    return this.followed().request("done", options);
  }

  /** Returns the plain data that `media.tasks.restore` takes, for `JSON.stringify`. */
  toJSON(): SavedTask {
    const { id, capability, raw } = this.snapshot;
    return id ? { id, capability } : { id, capability, result: raw };
  }
}
