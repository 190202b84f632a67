/** One task as the list shows it and the browser keeps it. */
import type { Output, SavedTask } from "mediagate";
import type { Shown } from "../parts/Failure";

export interface Entry {
  /** Names it in this list; a task without an id of its own has one here too. */
  key: string;
  /** What `media.task()` takes to find the task again. */
  saved: SavedTask;
  capability: string;
  title?: string | undefined;
  /** As the service gives it; empty until it has said one. */
  state: string;
  /** From 0 to 1, where the service says it. */
  progress?: number | undefined;
  outputs: Output[];
  failure?: Shown | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number | undefined;
  /** Whether the person asked to stop watching. */
  paused?: boolean | undefined;
}

const TERMINAL = new Set(["SUCCEEDED", "FAILED", "EXPIRED"]);

/** Whether nothing more is to come. */
export function isOver(entry: Entry): boolean {
  return TERMINAL.has(entry.state);
}
