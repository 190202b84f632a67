/** One task as the list shows it and the browser keeps it. */
import type { CapabilityName, Output, SavedTask } from "mediagate";
import type { Shown } from "../parts/Failure";

export interface Entry {
  /** Names it in this list, and its create before the gateway, so that asking twice makes one task. */
  key: string;
  /** What `media.task()` takes to find the task again; `undefined` until the create is answered. */
  saved?: SavedTask | undefined;
  capability: CapabilityName;
  title?: string | undefined;
  /** As the service gives it; empty until it has said one. */
  state: string;
  /** From 0 to 1, where the service says it. */
  progress?: number | undefined;
  outputs: readonly Output[];
  failure?: Shown | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt?: number | undefined;
  /** Whether the person asked to stop watching. */
  paused?: boolean | undefined;
  /** Whether it is unfolded; `undefined` until the person says. */
  open?: boolean | undefined;
}

const TERMINAL = new Set(["SUCCEEDED", "FAILED", "EXPIRED"]);

/** Whether nothing follows this state. */
export function isOver(state: string): boolean {
  return TERMINAL.has(state);
}

/** What a task that did not succeed says of itself, wherever its record says it. */
export function failureOf(state: string, raw: unknown): Shown | undefined {
  if (state === "FAILED") return { code: "task_failed", message: said(raw) ?? "The service gave no reason." };
  if (state === "EXPIRED") return { code: "task_expired", message: said(raw) ?? "It was not done in time." };
  return undefined;
}

/** The task record beyond its id is not documented: these are the usual places. */
function said(raw: unknown): string | undefined {
  if (typeof raw === "string") return raw || undefined;
  if (typeof raw !== "object" || raw === null) return undefined;
  const { error, message, error_message, reason } = raw as Record<string, unknown>;
  return said(error) ?? [message, error_message, reason].find((it) => typeof it === "string" && it !== "") as string | undefined;
}
